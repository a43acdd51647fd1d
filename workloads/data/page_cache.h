// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/resolved_case.h"

namespace stepbench {

// How much of some files the kernel holds in memory.
struct Residency {
  std::int64_t pages = 0;
  std::int64_t resident = 0;
};

// Both throw ConfigError(data.page_cache) naming the file.
void read_into_page_cache(const std::vector<std::filesystem::path>& files);
// Without effect on pages that a process has mapped and touched. Refuses files on tmpfs, whose
// pages are the only copy.
void evict_from_page_cache(const std::vector<std::filesystem::path>& files);
// Of a thousand files at most, evenly chosen; nothing where the kernel does not tell (Linux < 6.5).
[[nodiscard]] std::optional<Residency> residency(const std::vector<std::filesystem::path>& files);

// data.page_cache: brings the files of a case into the state that it asks for. Main thread.
class PageCache {
 public:
  explicit PageCache(const ResolvedCase& resolved);  // without the option all calls do nothing

  void prepare();  // untimed: reads, or evicts, every file
  // What was found after the last prepare(): "cold, 0.0 % resident"; nothing without the option.
  [[nodiscard]] const std::optional<std::string>& effective() const { return effective_; }

 private:
  std::string wanted_;
  std::vector<std::filesystem::path> files_;
  std::optional<std::string> effective_;
};

}  // namespace stepbench
