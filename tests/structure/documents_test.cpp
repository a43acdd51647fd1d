// SPDX-License-Identifier: Apache-2.0
// Keeps the pages true: each room has a README, and their links lead to existing files.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/structure/source_tree.h"

namespace stepbench::structure {
namespace {

namespace fs = std::filesystem;

constexpr std::array kRooms = {"harness", "workloads", "configs", "results", "tests", "tools"};

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(fs::path(kRoot) / file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Every page that git tracks except recorded output.
std::vector<std::string> pages() {
  std::vector<std::string> found;
  for (const std::string& file : tracked_files(kRoot)) {
    const bool recorded = file.starts_with("tests/") && file.find("/data/") != std::string::npos;
    if (file.ends_with(".md") && !recorded) found.push_back(file);
  }
  return found;
}

// The page's lines outside of code blocks.
std::vector<std::string> prose_of(const std::string& page) {
  std::vector<std::string> prose;
  bool code = false;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("```")) {
      code = !code;
    } else if (!code) {
      prose.push_back(line);
    }
  }
  return prose;
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    found.push_back((*at)[1].str());
  }
  return found;
}

// "## What is measured, and how" -> #what-is-measured-and-how.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading.substr(heading.find_first_not_of("# "))) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0 || c == '-' || c == '_') {
      anchor.push_back(static_cast<char>(std::tolower(letter)));
    } else if (c == ' ') {
      anchor.push_back('-');
    }
  }
  return anchor;
}

bool has_anchor(const std::string& page, const std::string& anchor) {
  for (const std::string& line : prose_of(page)) {
    if (line.starts_with("#") && anchor_of(line) == anchor) return true;
  }
  return false;
}

TEST(Documents, TopFolder_HoldsTheAgreedFiles) {
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

TEST(Documents, EachRoom_HasAReadme) {
  std::vector<std::string> rooms(kRooms.begin(), kRooms.end());
  for (const char* part : {"harness", "workloads"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(kRoot) / part)) {
      if (entry.is_directory()) rooms.push_back(part + ("/" + entry.path().filename().string()));
    }
  }
  for (const std::string& room : rooms) {
    const std::vector<std::string> lines = lines_of(room + "/README.md");
    ASSERT_GT(lines.size(), 2U) << room;
    EXPECT_TRUE(lines[0].starts_with("# ")) << room;
    EXPECT_TRUE(lines[2].starts_with("Start here")) << room << ": " << lines[2];
  }
}

TEST(Documents, Links_LeadToFilesAndHeadings) {
  const std::vector<std::string> all = pages();
  if (all.empty()) GTEST_SKIP() << "not a clone: git knows no files here";
  // An untracked file is absent from the next clone, even if it exists here.
  const std::vector<std::string> known = tracked_files(kRoot);
  const auto is_in_a_clone = [&](const std::string& target) {
    const std::string folder = target.ends_with('/') ? target : target + "/";
    return std::ranges::any_of(
        known, [&](const std::string& file) { return file == target || file.starts_with(folder); });
  };
  static const std::regex kLink(R"(\]\(([^)\s]+)\))");
  for (const std::string& page : all) {
    for (const std::string& line : prose_of(page)) {
      for (const std::string& link : matches(line, kLink)) {
        if (link.find("://") != std::string::npos) continue;
        const std::size_t hash = link.find('#');
        const fs::path file = link.substr(0, hash);
        const std::string target =
            file.empty() ? page : (fs::path(page).parent_path() / file).lexically_normal().string();
        EXPECT_TRUE(is_in_a_clone(target)) << page << ": " << link << " is not tracked by git";
        if (hash == std::string::npos || !target.ends_with(".md")) continue;
        EXPECT_TRUE(has_anchor(target, link.substr(hash + 1))) << page << ": " << link;
      }
    }
  }
}

// In CONTRIBUTING.md and in the rooms' READMEs, a path in code quotes must exist, from the root or
// from the page's folder.
TEST(Documents, NamedPaths_Exist) {
  std::vector<std::string> maps = {"CONTRIBUTING.md"};
  for (const std::string room : kRooms) maps.push_back(room + "/README.md");
  static const std::regex kPath(
      R"(`((?:harness|workloads|configs|results|tests|tools)/[\w./-]+|[\w-]+/(?:[\w./-]*\.\w+)?)`)");
  for (const std::string& page : maps) {
    const fs::path folder = fs::path(page).parent_path();
    for (const std::string& line : prose_of(page)) {
      for (const std::string& path : matches(line, kPath)) {
        if (path.starts_with("torch/") || path.starts_with("ATen/")) continue;
        if (path.find("NAME") != std::string::npos) continue;
        EXPECT_TRUE(fs::exists(fs::path(kRoot) / path) || fs::exists(kRoot / folder / path))
            << page << ": " << path;
      }
    }
  }
}

}  // namespace
}  // namespace stepbench::structure
