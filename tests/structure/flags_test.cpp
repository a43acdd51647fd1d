// SPDX-License-Identifier: Apache-2.0
// What can be typed is tried by a test and told by a document.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

void add_flags(const std::string& text, const std::regex& pattern, std::set<std::string>& flags) {
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    flags.insert((*at)[0].str());
  }
}

const std::regex kFlag(R"(--[a-z][a-z-]*[a-z])");

// Of the commands: a literal "--flag", "--flag VALUE", "-f,--flag" or "--flag,--other".
std::set<std::string> declared_flags() {
  static const std::regex kLiteral(R"("(-\w,)?--[a-z][a-z-]*(,--[a-z-]+)*( [^" ]+)?")");
  std::set<std::string> literals;
  for (const std::string& file : sources(kRoot, "tools/stepbench")) {
    add_flags(text_of(kRoot, file), kLiteral, literals);
  }
  std::set<std::string> flags;
  for (const std::string& literal : literals) add_flags(literal, kFlag, flags);
  return flags;
}

// Recorded scenes hold the help of all commands: only what they run counts.
std::string tried_in(const std::string& file) {
  const std::string text = text_of(kRoot, file);
  if (!file.starts_with("tests/corpus/scenes/")) return text;
  std::string commands;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("$ ")) commands += line + "\n";
  }
  return commands;
}

bool is_code(const std::string& file) {
  for (const char* ending : {".cpp", ".h", ".py", ".cmake", ".txt", ".sh"}) {
    if (file.ends_with(ending)) return true;
  }
  return false;
}

TEST(Flags, EachStandsInATestAndInADocument) {
  std::set<std::string> tried;
  std::set<std::string> told;
  const std::vector<std::string> files = tracked_files(kRoot);
  if (files.empty()) GTEST_SKIP() << "not a clone: git knows no files here";
  for (const std::string& file : files) {
    if (file.starts_with("tests/") && is_code(file)) add_flags(tried_in(file), kFlag, tried);
    if (file.ends_with(".md")) add_flags(text_of(kRoot, file), kFlag, told);
  }
  const std::set<std::string> declared = declared_flags();
  EXPECT_GT(declared.size(), 80U);
  for (const std::string& flag : declared) {
    EXPECT_TRUE(tried.contains(flag)) << flag << " is in no test";
    EXPECT_TRUE(told.contains(flag)) << flag << " is in no document";
  }
}

}  // namespace
}  // namespace stepbench::structure
