// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/internal/tick_clock.h"

#include <ctime>
#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace stepbench::profile {

bool has_invariant_tsc() {
#if defined(__x86_64__)
  constexpr unsigned kAdvancedPowerManagement = 0x80000007;
  constexpr unsigned kInvariantTsc = 1U << 8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(kAdvancedPowerManagement, &a, &b, &c, &d) != 0 && (d & kInvariantTsc) != 0;
#else
  return false;
#endif
}

std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t ticks_of(bool tsc) noexcept { return tsc ? ticks<true>() : ticks<false>(); }

TickMap::Pair TickMap::reading() const {
  constexpr int kTries = 64;
  Pair best;
  std::uint64_t closest = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t before = ticks_of(tsc_);
    const auto ns = static_cast<std::int64_t>(monotonic_ns());
    const std::uint64_t distance = ticks_of(tsc_) - before;
    if (distance >= closest) continue;
    closest = distance;
    best = {before + distance / 2, ns};
  }
  return best;
}

std::int64_t TickMap::ns(std::uint64_t ticks) const noexcept {
  const auto since = static_cast<std::int64_t>(ticks - first_.ticks);
  if (!tsc_ || last_.ticks == first_.ticks) return first_.ns + since;
  const double rate =
      static_cast<double>(last_.ns - first_.ns) / static_cast<double>(last_.ticks - first_.ticks);
  return first_.ns + static_cast<std::int64_t>(static_cast<double>(since) * rate);
}

}  // namespace stepbench::profile
