// SPDX-License-Identifier: Apache-2.0
// What the CPUs did since they started, and how much of it was the work of one process; in the
// kernel's ticks of a hundredth of a second. `root` stands for "/".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stepbench::machine {

struct CpuTimes {
  std::int64_t all = 0;
  std::int64_t idle = 0;   // waiting for a disk included
  std::int64_t steal = 0;  // taken by the hypervisor
  [[nodiscard]] std::int64_t busy() const { return all - idle - steal; }
};
[[nodiscard]] std::optional<CpuTimes> cpu_times(const std::filesystem::path& root);
// Of these CPUs only; of all when they are not listed one by one.
[[nodiscard]] std::optional<CpuTimes> cpu_times(const std::filesystem::path& root,
                                                const std::vector<int>& cpus);

// User and system time of a process and its threads, also of those that ended; with the children
// that it has waited for. Readable until it is reaped. `process`: a number, or "self".
[[nodiscard]] std::optional<std::int64_t> process_ticks(const std::filesystem::path& root,
                                                        const std::string& process,
                                                        bool with_children);

// Share of the CPUs' time between two readings that went to others than `own_ticks`. nullopt below
// a second of CPU time, where ticks are too coarse.
[[nodiscard]] std::optional<double> share_of_others(const CpuTimes& before, const CpuTimes& after,
                                                    std::int64_t own_ticks);

[[nodiscard]] std::optional<double> load_1m(const std::filesystem::path& root);

}  // namespace stepbench::machine
