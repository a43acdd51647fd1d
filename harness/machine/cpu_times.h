// SPDX-License-Identifier: Apache-2.0
// CPU time of the machine since boot, and of one process, in kernel ticks of 1/100 s. `root`
// replaces "/".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stepbench::machine {

struct CpuTimes {
  std::int64_t all = 0;
  std::int64_t idle = 0;   // includes waiting for disks
  std::int64_t steal = 0;  // taken by the hypervisor
  [[nodiscard]] std::int64_t busy() const { return all - idle - steal; }
};
[[nodiscard]] std::optional<CpuTimes> cpu_times(const std::filesystem::path& root);
// Only of these CPUs; of all CPUs if the kernel does not list them individually.
[[nodiscard]] std::optional<CpuTimes> cpu_times(const std::filesystem::path& root,
                                                const std::vector<int>& cpus);

// User and system time of a process and its threads, including ended ones; optionally of the
// children that it has waited for. Readable until the process is reaped. `process`: a number, or
// "self".
[[nodiscard]] std::optional<std::int64_t> process_ticks(const std::filesystem::path& root,
                                                        const std::string& process,
                                                        bool with_children);

// Share of the CPU time between two readings that went to other processes than `own_ticks`. nullopt
// below one second of CPU time, where ticks are too coarse.
[[nodiscard]] std::optional<double> share_of_others(const CpuTimes& before, const CpuTimes& after,
                                                    std::int64_t own_ticks);

[[nodiscard]] std::optional<double> load_1m(const std::filesystem::path& root);

}  // namespace stepbench::machine
