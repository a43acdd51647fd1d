// SPDX-License-Identifier: Apache-2.0
// Lists of files in CMake stay easy to read and to merge: a file per line, sorted.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

std::vector<std::string> cmake_lists() {
  std::vector<std::string> found;
  for (const std::string& file : tracked_files(kRoot)) {
    if (file.ends_with("CMakeLists.txt") || file.ends_with(".cmake")) found.push_back(file);
  }
  return found;
}

std::vector<std::string> source_names(const std::string& line) {
  static const std::regex kName(R"([\w${}./-]+\.(?:cpp|h)\b)");
  std::vector<std::string> names;
  for (std::sregex_iterator at(line.begin(), line.end(), kName), end; at != end; ++at) {
    names.push_back(at->str());
  }
  return names;
}

// The line is one name and nothing else, but for a bracket that ends the list.
bool is_entry(const std::string& line, const std::string& name) {
  std::string text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  while (text.ends_with(')')) text.pop_back();
  return text == name;
}

bool holds_a_whole_command(const std::string& line) {
  return line.ends_with(')') &&
         std::count(line.begin(), line.end(), '(') == std::count(line.begin(), line.end(), ')');
}

TEST(CMakeLists, NameOneFilePerLineInOrder) {
  const std::vector<std::string> files = cmake_lists();
  if (files.empty()) GTEST_SKIP() << "not a clone: git knows no files here";
  for (const std::string& file : files) {
    std::ifstream in(std::filesystem::path(kRoot) / file);
    std::string previous;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      const std::vector<std::string> names = source_names(line);
      const bool entry = names.size() == 1 && is_entry(line, names[0]);
      if (entry && !previous.empty()) {
        EXPECT_LT(previous, names[0]) << file << ':' << number << ": the list is not sorted";
      }
      previous = entry ? names[0] : "";
      EXPECT_TRUE(names.size() < 2 || holds_a_whole_command(line))
          << file << ':' << number << ": several files on one line of a longer command";
    }
  }
}

TEST(CMakeLists, HaveNoLineLongerThan120Columns) {
  for (const std::string& file : cmake_lists()) {
    std::ifstream in(std::filesystem::path(kRoot) / file);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
      });
      EXPECT_LE(columns, 120) << file << ':' << number;
    }
  }
}

}  // namespace
}  // namespace stepbench::structure
