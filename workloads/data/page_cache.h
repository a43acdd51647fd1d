// SPDX-License-Identifier: Apache-2.0
// data.page_cache: brings a data set's files into the kernel's page cache, or out of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/resolved_case.h"
#include "workloads/data/dataset.h"

namespace stepbench::data {

// How much of some files the kernel holds in memory.
struct Residency {
  std::int64_t pages = 0;
  std::int64_t resident = 0;
};

// Both throw ConfigError(data.page_cache) naming the file.
void read_into_page_cache(const std::vector<std::filesystem::path>& files);
// Without effect on pages that a process has mapped and touched: Dataset::release_pages() first.
// Refuses files on tmpfs, whose pages are the only copy.
void evict_from_page_cache(const std::vector<std::filesystem::path>& files);
// Of a thousand files at most, evenly chosen; nullopt if the kernel does not tell (before
// Linux 6.5, of files that this process may not write).
[[nodiscard]] std::optional<Residency> residency(const std::vector<std::filesystem::path>& files);

// data.page_cache: brings the files of a case into the state that it asks for. Main thread.
class PageCache {
 public:
  explicit PageCache(const ResolvedCase& resolved);  // without the option all calls do nothing

  // Untimed: reads, or evicts, every file; `dataset` is what reads them in this process.
  void prepare(const Dataset& dataset);
  // What was found after the last prepare(): "cold, 0.0 % resident", and why when a file that
  // should be cold is not; nullopt without the option.
  [[nodiscard]] const std::optional<std::string>& effective() const { return effective_; }

 private:
  std::string wanted_;
  std::vector<std::filesystem::path> files_;
  std::optional<std::string> effective_;
};

}  // namespace stepbench::data
