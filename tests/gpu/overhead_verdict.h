// SPDX-License-Identifier: Apache-2.0
// Decides whether a measured step is as fast as a bare one. Pure function.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "harness/stats/order_statistics.h"

namespace stepbench::gpu {

struct Overhead {
  double ratio = 0;
  std::optional<stats::Interval> interval = {};  // 95 %, of the median of paired ratios
  std::string verdict = {};                      // passed | failed | too noisy
};

// Passed: the interval includes or lies below 1.01 and is narrower than 0.01.
[[nodiscard]] inline Overhead judge_overhead(std::span<const double> ratios) {
  constexpr double kAllowed = 1.01;
  constexpr double kWidest = 0.01;
  Overhead overhead{.ratio = stats::median(ratios),
                    .interval = stats::median_interval(ratios, 0.95)};
  if (!overhead.interval || overhead.interval->high - overhead.interval->low >= kWidest) {
    overhead.verdict = "too noisy";
  } else {
    overhead.verdict = overhead.interval->low <= kAllowed ? "passed" : "failed";
  }
  return overhead;
}

}  // namespace stepbench::gpu
