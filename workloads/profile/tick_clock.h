// SPDX-License-Identifier: Apache-2.0
// Time stamps of some nanoseconds' cost: the processor's time-stamp counter where it is invariant,
// else CLOCK_MONOTONIC. Any thread.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "harness/base/clock.h"

namespace stepbench::profile {

// Does the counter run at one rate in all power states? Asks the processor.
[[nodiscard]] bool has_invariant_tsc();

// CLOCK_MONOTONIC, which is what ticks are without such a counter.
[[nodiscard]] std::uint64_t monotonic_ns() noexcept;

template <bool kTsc>
[[nodiscard]] inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  if constexpr (kTsc) return __rdtsc();
#endif
  return monotonic_ns();
}
[[nodiscard]] std::uint64_t ticks_of(bool tsc) noexcept;

// From ticks to nanoseconds of HostClock, by two pairs of readings; calibrate at the borders of a
// window. Exact at both, linear between.
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
  [[nodiscard]] Pair reading() const;  // the closest of several

  bool tsc_;
  Pair first_;
  Pair last_;
};

}  // namespace stepbench::profile
