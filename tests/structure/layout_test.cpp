// SPDX-License-Identifier: Apache-2.0
// What lies at the top of the repository, and how every source file begins.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

TEST(Layout, TheTopHoldsExactlyTheAgreedEntries) {
  const std::set<std::string> expected = {
      "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "README.md", "configs",
      "harness",        "results",           "tests",           "tools",   "workloads"};
  const std::vector<std::string> files = tracked_files(kRoot);
  if (files.empty()) GTEST_SKIP() << "not a clone: git knows no files here";
  std::set<std::string> top;
  for (const std::string& file : files) {
    if (!file.starts_with('.')) top.insert(file.substr(0, file.find('/')));
  }
  EXPECT_EQ(top, expected);
}

// `loading` is of the torch-free rooms of workloads, `shell` of command lines.
TEST(Layout, EveryFolderOfUnitTestsIsThatOfARoom) {
  const std::filesystem::path root(kRoot);
  for (const auto& entry : std::filesystem::directory_iterator(root / "tests/unit")) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(std::filesystem::is_directory(root / "harness" / name) || name == "loading" ||
                name == "shell")
        << "tests/unit/" << name;
  }
}

TEST(Layout, EverySourceFileNamesItsLicence) {
  for (const char* folder : {"harness", "workloads", "tools", "tests"}) {
    for (const std::string& file : sources(kRoot, folder)) {
      std::ifstream in(std::filesystem::path(kRoot) / file);
      std::string first;
      std::getline(in, first);
      EXPECT_EQ(first, "// SPDX-License-Identifier: Apache-2.0") << file;
    }
  }
}

TEST(Layout, NoSourceFileIsLongerThanFourHundredLines) {
  const std::set<std::string> longer = {
      "harness/estimate/columns.cpp",  // a table of rows that belong together
      "harness/run/group_launch.cpp",  // one loop: what ends a group is seen in one place
  };
  for (const char* folder : {"harness", "workloads", "tools"}) {
    for (const std::string& file : sources(kRoot, folder)) {
      const std::string text = text_of(kRoot, file);
      const auto lines = std::count(text.begin(), text.end(), '\n');
      EXPECT_TRUE(lines <= 400 || longer.contains(file)) << file << " has " << lines << " lines";
    }
  }
}

TEST(Layout, EveryHeaderIsIncludedOnce) {
  for (const char* folder : {"harness", "workloads", "tools", "tests"}) {
    for (const std::string& file : sources(kRoot, folder)) {
      if (!file.ends_with(".h")) continue;
      EXPECT_NE(text_of(kRoot, file).find("\n#pragma once\n"), std::string::npos) << file;
    }
  }
}

}  // namespace
}  // namespace stepbench::structure
