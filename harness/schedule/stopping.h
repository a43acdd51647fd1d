// SPDX-License-Identifier: Apache-2.0
// When a launch has measured enough. Asked between cycles only. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/stats/interval.h"

namespace stepbench::schedule {

enum class StopReason : std::uint8_t { kCount, kPrecision, kWallLimit, kError };  // on disk by name
[[nodiscard]] std::string_view name_of(StopReason reason);

struct StopRule {
  std::int64_t cycles = 1;  // at least; without `automatic` exactly. 0: no end
  bool automatic = false;   // active: auto
  double precision = 0.01;  // half-width of the interval over the estimate
  std::int64_t max_active = 10'000;
};

// What was decided after a cycle.
struct StopVerdict {
  std::optional<StopReason> stop = {};  // nullopt: go on
  std::optional<stats::Interval> interval =
      {};  // 95 %, of time / steps over all windows; automatic only
};

// `window_means`: time / steps of each window so far, all of one length, in their order.
[[nodiscard]] StopVerdict stop_after(const StopRule& rule, std::int64_t cycles_done,
                                     std::int64_t active_done,
                                     std::span<const double> window_means);

// The interval about the mean of all windows, by Student's t on windows that are joined in pairs,
// pairs of pairs and so on until 10 to 19 remain: long windows are nearly independent even where
// steps are not. nullopt below 10 windows.
[[nodiscard]] std::optional<stats::Interval> interval_of_windows(
    std::span<const double> window_means);

}  // namespace stepbench::schedule
