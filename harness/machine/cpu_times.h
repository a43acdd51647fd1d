// SPDX-License-Identifier: Apache-2.0
// Kernel counters of CPUs, processes, threads and storage, from /proc. `root` replaces "/".
// Unavailable counters are nullopt, never 0. Any thread.
#pragma once

#include <sys/types.h>

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

// Cumulative since a thread's start; also a difference, or a sum over threads. The rest of the time
// the thread slept.
struct ThreadTimes {
  std::int64_t cpu_ns = 0;
  std::int64_t waited_ns = 0;  // runnable without a CPU

  ThreadTimes& operator+=(const ThreadTimes& other);
  friend ThreadTimes operator-(ThreadTimes a, const ThreadTimes& b) {
    return {a.cpu_ns - b.cpu_ns, a.waited_ns - b.waited_ns};
  }
};

// From schedstat. `thread` 0: the sum over the living threads of the process.
[[nodiscard]] std::optional<ThreadTimes> thread_times(const std::filesystem::path& root,
                                                      pid_t process, pid_t thread = 0);

// Bytes read from storage, excluding hits of the page cache, by a process with its threads and the
// children that it has waited for.
[[nodiscard]] std::optional<std::int64_t> storage_bytes_read(const std::filesystem::path& root,
                                                             pid_t process);

// Cumulative time during which some task of the machine was stalled on storage.
[[nodiscard]] std::optional<std::int64_t> storage_stalled_ns(const std::filesystem::path& root);

}  // namespace stepbench::machine
