// SPDX-License-Identifier: Apache-2.0
// Kernel counters of processes: CPU time, page faults, context switches, memory. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace stepbench::os {

// Counts since a process's start; also a difference of two readings.
struct Usage {
  std::int64_t user_ns = 0;
  std::int64_t system_ns = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;

  Usage& operator+=(const Usage& other);
  friend Usage operator-(Usage a, const Usage& b);
  friend Usage operator+(Usage a, const Usage& b) { return a += b; }
};

// This process, all threads, without children.
[[nodiscard]] Usage current_usage();
// All ended and reaped children of this process, and theirs.
[[nodiscard]] Usage usage_of_ended_children();
// A living process, from /proc, in resolution of clock ticks; zeros if unavailable. Once the child
// is reaped, usage_of_ended_children() includes the same amounts.
[[nodiscard]] Usage usage_of(pid_t process);
// Largest resident set of this process since its program was started; 0 if unavailable.
[[nodiscard]] std::int64_t peak_rss_bytes();
// Memory of this process alone and mapped shared memory, without what the heap keeps free for
// later, which rises and falls over a hundred steps and more; nullopt: unknown.
[[nodiscard]] std::optional<std::int64_t> held_bytes();

}  // namespace stepbench::os
