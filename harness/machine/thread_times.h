// SPDX-License-Identifier: Apache-2.0
// What the kernel counted for threads and for storage, in /proc. `root` stands for "/". What a
// kernel does not tell is nullopt, never 0. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace stepbench::machine {

// Since a thread began; also a difference, or a sum over threads. The rest of its life it slept.
struct ThreadTimes {
  std::int64_t cpu_ns = 0;
  std::int64_t waited_ns = 0;  // could have run, and had no CPU

  ThreadTimes& operator+=(const ThreadTimes& other);
  friend ThreadTimes operator-(ThreadTimes a, const ThreadTimes& b) {
    return {a.cpu_ns - b.cpu_ns, a.waited_ns - b.waited_ns};
  }
};

// From schedstat. `thread` 0: the threads of the process together, as many as live.
[[nodiscard]] std::optional<ThreadTimes> thread_times(const std::filesystem::path& root,
                                                      pid_t process, pid_t thread = 0);

// Bytes that storage was really asked for, not the page cache; of a process with its threads and
// the children that it has waited for.
[[nodiscard]] std::optional<std::int64_t> storage_bytes_read(const std::filesystem::path& root,
                                                             pid_t process);

// How long some task of the machine stood still for storage, so far.
[[nodiscard]] std::optional<std::int64_t> storage_stalled_ns(const std::filesystem::path& root);

}  // namespace stepbench::machine
