// SPDX-License-Identifier: Apache-2.0
// Rate of the same copy in a bare loop, as the reference for other ways of copying. Torch-free:
// tests script clock and link.
#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/base/clock.h"

namespace stepbench::step {

// Copies per second. An idle link is slow at first: copies for a fifth of a second as warm-up, then
// times as long. `wait` returns when the copies are done.
template <typename Copy, typename Wait>
[[nodiscard]] double plain_rate(const Clock& clock, const Copy& copy, const Wait& wait) {
  constexpr std::int64_t kWarmNs = 200'000'000;
  constexpr std::int64_t kMeasuredNs = 200'000'000;
  constexpr std::int64_t kMin = 4;
  constexpr std::int64_t kMax = 1000;  // maximum in a stream's queue
  const auto many = [&](std::int64_t copies) {
    const std::int64_t begin_ns = clock.now_ns();
    for (std::int64_t i = 0; i < copies; ++i) copy();
    wait();
    return std::max<std::int64_t>(clock.now_ns() - begin_ns, 1);
  };
  std::int64_t one_ns = many(1);
  for (std::int64_t warmed_ns = one_ns; warmed_ns < kWarmNs;) {
    const std::int64_t copies = std::clamp<std::int64_t>((kWarmNs - warmed_ns) / one_ns, 1, kMax);
    const std::int64_t took_ns = many(copies);
    one_ns = std::max<std::int64_t>(took_ns / copies, 1);
    warmed_ns += took_ns;
  }
  const std::int64_t copies = std::clamp(kMeasuredNs / one_ns, kMin, kMax);
  return static_cast<double>(copies) * 1e9 / static_cast<double>(many(copies));
}

}  // namespace stepbench::step
