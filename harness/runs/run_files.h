// SPDX-License-Identifier: Apache-2.0
// Separates a run's own files from foreign files in its folder. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stepbench::runs {

inline constexpr const char* kTraces = "traces";
inline constexpr const char* kCounts = "counts";  // callgrind's output

struct RunFiles {
  std::vector<std::filesystem::path> results = {};  // .jsonl and .jsonl.gz
  std::vector<std::filesystem::path> traces = {};   // .json and .json.gz in traces/
  std::vector<std::filesystem::path> others = {};   // verdict.json, a copy of the experiment
  bool search = false;                              // `bisect` or `tune` folder, with runs
  std::vector<std::filesystem::path> foreign = {};  // everything else: files, folders, links
};

// True for a folder of `bisect` or `tune`.
[[nodiscard]] bool is_search(const std::filesystem::path& folder);

// True if `bisect` is currently running in the folder.
[[nodiscard]] bool is_being_searched(const std::filesystem::path& folder);

// Sorted by name. Throws Error if the folder cannot be read.
[[nodiscard]] RunFiles files_of_run(const std::filesystem::path& folder);

}  // namespace stepbench::runs
