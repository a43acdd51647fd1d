// SPDX-License-Identifier: Apache-2.0
#include "harness/base/clock.h"

#include <time.h>
#include <chrono>

namespace stepbench {

void Clock::wait_until(std::int64_t ns) const noexcept {
  while (now_ns() < ns) {
  }
}

std::int64_t HostClock::now_ns() const noexcept {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

void HostClock::wait_until(std::int64_t ns) const noexcept {
  constexpr std::int64_t kWakeUpNs = 200'000;  // more than the kernel's slack and a switch
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  const std::int64_t asleep_until = ns - kWakeUpNs;
  if (asleep_until > now_ns()) {
    const timespec until{.tv_sec = asleep_until / kNsPerSecond,
                         .tv_nsec = asleep_until % kNsPerSecond};
    // A signal ends it early.
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
  Clock::wait_until(ns);
}

}  // namespace stepbench
