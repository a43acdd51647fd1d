// SPDX-License-Identifier: Apache-2.0
// Which files of a folder are a run's, and which somebody else put there. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stepbench::runs {

inline constexpr const char* kTraces = "traces";
inline constexpr const char* kCounts = "counts";  // of callgrind

struct RunFiles {
  std::vector<std::filesystem::path> results = {};  // .jsonl and .jsonl.gz
  std::vector<std::filesystem::path> traces = {};   // .json and .json.gz in traces/
  std::vector<std::filesystem::path> others = {};   // verdict.json, a copy of the experiment
  bool search = false;                              // of `bisect` or `tune`: it holds runs, too
  std::vector<std::filesystem::path> foreign = {};  // everything else: files, folders, links
};

// Whether the folder is of `bisect` or `tune`.
[[nodiscard]] bool is_search(const std::filesystem::path& folder);

// Whether `bisect` is at work in it now.
[[nodiscard]] bool is_being_searched(const std::filesystem::path& folder);

// Sorted by name. Throws Error where the folder cannot be read.
[[nodiscard]] RunFiles files_of_run(const std::filesystem::path& folder);

}  // namespace stepbench::runs
