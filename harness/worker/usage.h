// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace stepbench {

// What the kernel counted for this process (all threads, without children).
struct Usage {
  std::int64_t user_ns = 0;
  std::int64_t system_ns = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;

  Usage& operator+=(const Usage& other);
  friend Usage operator-(Usage a, const Usage& b);
};

[[nodiscard]] Usage current_usage();
// Largest resident set since the program was started; 0 when /proc does not tell.
[[nodiscard]] std::int64_t peak_rss_bytes();

}  // namespace stepbench
