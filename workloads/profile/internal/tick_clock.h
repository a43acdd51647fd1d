// SPDX-License-Identifier: Apache-2.0
// Time stamps that cost a few nanoseconds: the processor's time-stamp counter if it is invariant,
// else CLOCK_MONOTONIC. Any thread.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "harness/base/clock.h"

namespace stepbench::profile {

// True if the counter has a constant rate in all power states (CPUID).
[[nodiscard]] bool has_invariant_tsc();

// CLOCK_MONOTONIC, the source of ticks without such a counter.
[[nodiscard]] std::uint64_t monotonic_ns() noexcept;

template <bool kTsc>
[[nodiscard]] inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  if constexpr (kTsc) return __rdtsc();
#endif
  return monotonic_ns();
}
[[nodiscard]] std::uint64_t ticks_of(bool tsc) noexcept;

// Maps ticks to nanoseconds of HostClock by two pairs of readings, taken at the borders of a
// window. Exact at both, linear in between.
class TickMap {
 public:
  explicit TickMap(bool tsc) : tsc_(tsc) {}
  void begin() { first_ = reading(); }
  void end() { last_ = reading(); }
  [[nodiscard]] std::int64_t ns(std::uint64_t ticks) const noexcept;

 private:
  struct Pair {
    std::uint64_t ticks = 0;
    std::int64_t ns = 0;
  };
  [[nodiscard]] Pair reading() const;  // the tightest of several

  bool tsc_;
  Pair first_;
  Pair last_;
};

}  // namespace stepbench::profile
