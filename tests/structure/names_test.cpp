// SPDX-License-Identifier: Apache-2.0
// A name per thing: who reads the name of a type knows which one is meant, and the linker, too.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

// Of the types that a header defines outside of functions and other types.
std::set<std::string> types_in(const std::string& text) {
  static const std::regex kType(
      R"(^(?:struct|class|enum class|enum|union) (?:\[\[[^\]]*\]\] ?)?(\w+)(?: final)?)"
      R"((?: ?[:{][^;]*)?$)");
  static const std::regex kAlias(R"(^using (\w+) =.*$)");
  std::set<std::string> found;
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, kType) || std::regex_match(line, match, kAlias)) {
      found.insert(match[1]);
    }
  }
  return found;
}

TEST(Names, OfTypesStandInOneHeaderEach) {
  std::map<std::string, std::string> defined;
  for (const char* folder : {"harness", "workloads", "tools"}) {
    for (const std::string& file : sources(kRoot, folder)) {
      if (!file.ends_with(".h")) continue;
      for (const std::string& type : types_in(text_of(kRoot, file))) {
        const auto [first, is_new] = defined.emplace(type, file);
        EXPECT_TRUE(is_new) << file << " defines " << type << ", as " << first->second << " does";
      }
    }
  }
  EXPECT_GT(defined.size(), 500U);
}

TEST(Names, OfTypesAreFoundWhereTheyAreDefined) {
  const std::set<std::string> expected = {"A", "B", "C", "D", "E", "F"};
  EXPECT_EQ(types_in("struct A {\nclass B final : public X {\nenum class C : std::uint8_t {\n"
                     "template <typename T>\nclass D {\nusing E = int;\nclass [[nodiscard]] F {\n"
                     "class G;\n  struct H {\nenum class I : int;\nusing std::string;\n"),
            expected);
}

}  // namespace
}  // namespace stepbench::structure
