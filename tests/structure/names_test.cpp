// SPDX-License-Identifier: Apache-2.0
// Names: one per type, a namespace per room, and the form of a test's name.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

// Returns the types that a header defines outside of functions and other types.
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

TEST(Names, EachType_IsDefinedInOneHeader) {
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

struct NamespaceBlock {
  std::string name;
  bool only_declares = true;  // class X; struct Y; enum class Z : int;
};

std::vector<NamespaceBlock> namespaces_in(const std::string& text) {
  static const std::regex kOpens(R"(^namespace (stepbench[\w:]*) \{$)");
  static const std::regex kDeclares(R"(^(?:class|struct|enum class) \w+(?: : [\w:]+)?;.*$)");
  std::vector<NamespaceBlock> found;
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, match, kOpens)) {
      found.push_back({.name = match[1]});
    } else if (!found.empty() && !line.empty() && !line.starts_with("//") &&
               !line.starts_with("template <") && !line.starts_with("}")) {
      NamespaceBlock& last = found.back();
      last.only_declares = last.only_declares && std::regex_match(line, kDeclares);
    }
  }
  return found;
}

// The namespace of a folder is that of its room; that of the commands is cli.
std::string namespace_of(const std::string& file) {
  const std::string part = part_of(file);
  if (part == "tools/stepbench") return "stepbench::cli";
  const std::size_t slash = part.find('/');
  return slash == std::string::npos ? "stepbench" : "stepbench::" + part.substr(slash + 1);
}

// Parts shared by all rooms and users have no room's name: the ground, the seam, installed headers.
bool is_shared(const std::string& file) {
  return file.starts_with("harness/base/") || public_headers().contains(file);
}

TEST(Names, RoomNames_AreInTheRoomsNamespace) {
  // A build without torch does not know which of these are installed.
  const bool knows_models = public_headers().contains("workloads/model/model.h");
  for (const char* folder : {"harness", "workloads", "tools"}) {
    for (const std::string& file : sources(kRoot, folder)) {
      if (!file.ends_with(".h")) continue;
      if (!knows_models && file.starts_with("workloads/model/")) continue;
      const std::string home = namespace_of(file);
      for (const NamespaceBlock& block : namespaces_in(text_of(kRoot, file))) {
        const bool at_home = block.name == home || block.name.starts_with(home + "::") ||
                             file.ends_with("/fields.h") ||  // fields() is found next to its struct
                             (is_shared(file) && !block.name.starts_with("stepbench::")) ||
                             file.starts_with("harness/base/");
        EXPECT_TRUE(at_home || block.only_declares)
            << file << " opens " << block.name << ": only forward declarations may stand there";
      }
    }
  }
}

TEST(Names, Namespaces_AreReadWithTheirContent) {
  const std::vector<NamespaceBlock> found = namespaces_in(
      "namespace stepbench::a {\nclass X;\nenum class Y : int;\n}  // namespace\n"
      "namespace stepbench::b {\nint f();\n}\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "stepbench::a");
  EXPECT_TRUE(found[0].only_declares);
  EXPECT_FALSE(found[1].only_declares);
}

TEST(Names, Test_IsSubjectConditionResult) {
  static const std::regex kTest(R"(^TEST(?:_F|_P)?\((\w+), (\w+)\).*$)");
  std::size_t tests = 0;
  for (const std::string& file : sources(kRoot, "tests")) {
    std::istringstream lines(text_of(kRoot, file));
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("TEST") || !std::regex_match(line, match, kTest)) continue;
      ++tests;
      const std::string name = match[1].str() + '.' + match[2].str();
      EXPECT_LE(name.size(), 50U) << file << ": " << name;
      EXPECT_NE(name.find('_'), std::string::npos) << file << ": " << name;
    }
  }
  EXPECT_GT(tests, 2000U);
}

TEST(Names, TypeDefinitions_AreFound) {
  const std::set<std::string> expected = {"A", "B", "C", "D", "E", "F"};
  EXPECT_EQ(types_in("struct A {\nclass B final : public X {\nenum class C : std::uint8_t {\n"
                     "template <typename T>\nclass D {\nusing E = int;\nclass [[nodiscard]] F {\n"
                     "class G;\n  struct H {\nenum class I : int;\nusing std::string;\n"),
            expected);
}

}  // namespace
}  // namespace stepbench::structure
