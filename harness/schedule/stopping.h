// SPDX-License-Identifier: Apache-2.0
// When a launch has measured enough. Asked between cycles only. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/stats/interval.h"

namespace stepbench {

enum class StopReason : std::uint8_t { kCount, kPrecision, kWallLimit, kError };  // on disk by name
[[nodiscard]] std::string_view name_of(StopReason reason);

// Steps in a window of `active: auto`, and the batches that it is cut into.
inline constexpr std::int64_t kAutomaticWindow = 50;
inline constexpr std::size_t kBatchesPerWindow = 10;

struct StopRule {
  std::int64_t cycles = 1;  // at least; without `automatic` exactly. 0: no end
  bool automatic = false;   // active: auto
  double precision = 0.01;  // half-width of the interval of the step time over its median
  std::int64_t max_active = 10'000;
};

struct Verdict {
  std::optional<StopReason> stop = {};
  std::optional<Interval> interval = {};  // 95 %, of the median of batch means; automatic only
};

[[nodiscard]] Verdict stop_after(const StopRule& rule, std::int64_t cycles_done,
                                 std::int64_t active_done, std::span<const double> batch_means);

// Adds the means of the window's batches: kBatchesPerWindow, or one per step in a shorter window.
// Surplus steps at its start are left out.
void append_batch_means(std::span<const std::int64_t> step_ns, std::vector<double>& batch_means);

}  // namespace stepbench
