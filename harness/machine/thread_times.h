// SPDX-License-Identifier: Apache-2.0
// Kernel counters of threads and storage, from /proc. `root` replaces "/". Unavailable counters are
// nullopt, never 0. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace stepbench::machine {

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
