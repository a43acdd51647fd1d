// SPDX-License-Identifier: Apache-2.0
// The kernel's counters of processes, threads, CPUs and storage, and the limits of control groups,
// read from outside in /proc and /sys. `root` replaces "/": tests pass a fake tree. Unavailable
// counters are nullopt, never 0, unless stated. Any thread.
#pragma once

#include <sys/types.h>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stepbench::machine {

[[nodiscard]] std::vector<pid_t> children_of(const std::filesystem::path& root, pid_t parent);
[[nodiscard]] std::vector<pid_t> process_tree(const std::filesystem::path& root,
                                              pid_t top);  // `top` first
// Start time in clock ticks since boot; nullopt if the process does not exist. Together with the
// pid it identifies a process uniquely.
[[nodiscard]] std::optional<std::int64_t> start_ticks(const std::filesystem::path& root, pid_t pid);

// True if the process has a handler for this signal (neither default nor ignored).
[[nodiscard]] bool catches(pid_t pid, int signal);

// Sums over processes, in bytes: counters that the kernel maintains anyway, cheap to read.
struct ResidentMemory {
  std::int64_t rss = 0;
  std::int64_t unshared = 0;  // neither file-backed nor shared memory
};
[[nodiscard]] ResidentMemory resident_memory(const std::filesystem::path& root,
                                             std::span<const pid_t> tree);
// Shared memory that a process has mapped and touched, in bytes; as cheap.
[[nodiscard]] std::int64_t mapped_shared_memory(const std::filesystem::path& root, pid_t pid);

// Sums over processes, in bytes. The kernel walks the page tables: milliseconds for large
// processes.
struct TreeMemory {
  std::int64_t pss = 0;        // each page divided by the number of its mappings
  std::int64_t uss = 0;        // pages mapped by one process only
  std::int64_t shared = 0;     // part of pss in shared memory: segments, rings, tmpfs
  std::int64_t compilers = 0;  // part of pss in processes started by torch.compile
};
[[nodiscard]] TreeMemory tree_memory(const std::filesystem::path& root,
                                     std::span<const pid_t> tree);

[[nodiscard]] std::int64_t open_descriptors(const std::filesystem::path& root,
                                            std::span<const pid_t> tree);

// Used bytes of /dev/shm, by any process; includes unlinked segments.
[[nodiscard]] std::optional<std::int64_t> dev_shm_used_bytes(const std::filesystem::path& root);

// Time of CPUs, processes and threads, and reads from storage.

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

// The control groups of this process, version 2 or 1, with their ancestors: a limit applies at any
// level.

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
