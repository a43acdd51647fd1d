// SPDX-License-Identifier: Apache-2.0
// The control groups of this process, version 2 or 1. `root` stands for "/": tests give a fake
// tree.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace stepbench {

class Cgroup {
 public:
  explicit Cgroup(const std::filesystem::path& root);

  [[nodiscard]] std::optional<double> cpu_quota() const;  // in cores; nothing: unlimited
  [[nodiscard]] std::optional<std::int64_t> memory_limit_bytes() const;
  [[nodiscard]] std::optional<std::int64_t> oom_kills() const;  // grows by one per process killed
  [[nodiscard]] std::optional<std::int64_t> throttled_ns() const;  // since the group was made

 private:
  std::filesystem::path unified_;  // empty: that hierarchy is not there
  std::filesystem::path memory_;
  std::filesystem::path cpu_;
};

}  // namespace stepbench
