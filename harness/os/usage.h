// SPDX-License-Identifier: Apache-2.0
// What the kernel counted for processes: CPU time, page faults, context switches. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace stepbench::os {

// Counts since the start of a process; also a difference of two readings.
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

// Of this process, all threads, without children.
[[nodiscard]] Usage current_usage();
// Of all children of this process that ended and were waited for, and of theirs.
[[nodiscard]] Usage usage_of_ended_children();
// Of a living process by /proc, in clock ticks; zeros where that does not tell. When a child is
// waited for, the same amounts stand in usage_of_ended_children().
[[nodiscard]] Usage usage_of(pid_t process);
// Largest resident set of this process since its program was started; 0 if unavailable.
[[nodiscard]] std::int64_t peak_rss_bytes();

}  // namespace stepbench::os
