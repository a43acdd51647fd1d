// SPDX-License-Identifier: Apache-2.0
// Unused functions are deleted. Works on text without a compiler: a function is used if its name
// occurs more often than in its declaration and definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

// Used only by tests, with a reason.
const std::set<std::string> kForTests = {
    "outstanding",  // a promise of the dispatcher at every moment
    "unyielded",
};

namespace fs = std::filesystem;

std::string without_comments(const std::string& text) {
  std::string code;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) code += line.substr(0, line.find("//")) + "\n";
  return code;
}

using Counts = std::map<std::string, int, std::less<>>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void count_words(std::string_view code, Counts& counts) {
  for (std::size_t at = 0; at < code.size(); ++at) {
    const std::size_t begin = at;
    while (at < code.size() && is_word(code[at])) ++at;
    if (at == begin) continue;
    const std::string_view word = code.substr(begin, at - begin);
    const auto found = counts.find(word);
    found == counts.end() ? counts.emplace(word, 1).first->second : ++found->second;
  }
}

// Returns the name of the function that a line declares or defines, empty if none: `before` is the
// text before the bracket, a type and a name without a call or an initialiser.
std::string declared_by(std::string_view before) {
  if (before.find_first_of("=.-?\"(") != std::string_view::npos) return {};
  const std::size_t begin = before.find_first_not_of(' ');
  const std::size_t end = before.find_last_of(" *&");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  static const std::set<std::string_view> kStatements = {"return", "throw", "case", "using",
                                                         "else",   "new",   "if",   "for"};
  if (kStatements.contains(before.substr(begin, before.find(' ', begin) - begin))) return {};
  const std::string_view name = before.substr(end + 1);
  const bool is_name = !name.empty() && std::islower(static_cast<unsigned char>(name[0])) != 0 &&
                       std::all_of(name.begin(), name.end(), is_word);
  return is_name ? std::string(name) : std::string();
}

std::set<std::string> declared_in(const std::string& code) {
  std::set<std::string> found;
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bracket = line.find('(');
    if (bracket == std::string::npos) continue;
    found.insert(declared_by(std::string_view(line).substr(0, bracket)));
  }
  found.erase("");
  return found;
}

// True if the only occurrence of the name in a source is its definition: "Type Class::name(" at the
// beginning of a line.
bool is_defined_in(const std::string& code, const std::string& name) {
  for (std::size_t at = code.find(name + "("); at != std::string::npos;
       at = code.find(name + "(", at + 1)) {
    const std::size_t line = code.rfind('\n', at) + 1;
    const std::string before = code.substr(line, at - line);
    if (at > 0 && is_word(code[at - 1])) continue;
    return !before.empty() && before[0] != ' ' && before.find('(') == std::string::npos;
  }
  return false;
}

TEST(Dead, EachHeaderFunction_IsUsed) {
  std::map<std::string, std::string> code;
  Counts everywhere;
  for (const char* folder : {"harness", "workloads", "tools"}) {
    for (const std::string& file : sources(kRoot, folder)) {
      code[file] = without_comments(text_of(kRoot, file));
      count_words(code[file], everywhere);
    }
  }
  // Installed functions are used by foreign programs, like the examples.
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(kRoot) / "tools/examples")) {
    if (entry.path().extension() != ".cpp") continue;
    count_words(
        without_comments(text_of(entry.path().parent_path(), entry.path().filename().string())),
        everywhere);
  }
  int checked = 0;
  for (const auto& [file, text] : code) {
    if (!file.ends_with(".h")) continue;
    Counts here;
    count_words(text, here);
    for (const std::string& name : declared_in(text)) {
      ++checked;
      const int elsewhere = everywhere[name] - here[name];
      if (here[name] > 1 || elsewhere > 1 || kForTests.contains(name)) continue;
      bool defined = elsewhere == 0;
      for (const auto& [other, source] : code) {
        defined = defined || (other != file && is_defined_in(source, name));
      }
      EXPECT_FALSE(defined) << file << ": nobody calls " << name;
    }
  }
  EXPECT_GT(checked, 1500);
}

TEST(Dead, DeclaredFunctions_AreFound) {
  const std::set<std::string> expected = {"a", "b", "c", "d"};
  EXPECT_EQ(declared_in("[[nodiscard]] int a();\n  static std::vector<int>& b(int x) {\n"
                        "inline const char* c() { return e(); }\n  return f();\n  g(1);\n"
                        "  x = h(2);\nvoid X::i() {\nstd::int64_t d(\n"),
            expected);
  EXPECT_TRUE(is_defined_in("int X::a() {\n  return b();\n}\n", "a"));
  EXPECT_FALSE(is_defined_in("int X::a() {\n  return b();\n}\n", "b"));
}

}  // namespace
}  // namespace stepbench::structure
