// SPDX-License-Identifier: Apache-2.0
// The control groups of this process, version 2 or 1, with their ancestors: a limit applies at any
// level. `root` replaces "/": tests pass a fake tree.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace stepbench::machine {

class Cgroup {
 public:
  explicit Cgroup(const std::filesystem::path& root);

  // In cores, the minimum of all levels; nullopt if unlimited.
  [[nodiscard]] std::optional<double> cpu_quota() const;
  [[nodiscard]] std::optional<std::int64_t> memory_limit_bytes() const;
  [[nodiscard]] std::optional<std::int64_t> oom_kills() const;  // one per killed process
  // Since the groups were created, over all levels and all CPUs.
  [[nodiscard]] std::optional<std::int64_t> throttled_ns() const;

 private:
  using Levels = std::vector<std::filesystem::path>;  // own group first, then its ancestors
  Levels unified_;                                    // empty: hierarchy not mounted
  Levels memory_;
  Levels cpu_;
};

}  // namespace stepbench::machine
