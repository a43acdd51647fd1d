// SPDX-License-Identifier: Apache-2.0
// The control groups of this process, version 2 or 1, with the groups around them: a limit holds
// wherever it was set. `root` stands for "/": tests give a fake tree.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace stepbench::machine {

class Cgroup {
 public:
  explicit Cgroup(const std::filesystem::path& root);

  // In cores, the least of all levels; nullopt if unlimited.
  [[nodiscard]] std::optional<double> cpu_quota() const;
  [[nodiscard]] std::optional<std::int64_t> memory_limit_bytes() const;
  [[nodiscard]] std::optional<std::int64_t> oom_kills() const;  // grows by one per process killed
  // Since the groups were made, over all of them and all CPUs.
  [[nodiscard]] std::optional<std::int64_t> throttled_ns() const;

 private:
  using Levels = std::vector<std::filesystem::path>;  // the own group, then those around it
  Levels unified_;                                    // empty: that hierarchy is not there
  Levels memory_;
  Levels cpu_;
};

}  // namespace stepbench::machine
