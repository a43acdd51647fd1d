// SPDX-License-Identifier: Apache-2.0
// Predicts the memory of a larger batch by a linear fit to smaller ones. Pure; any thread.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/interval.h"

namespace stepbench::tune {

struct MeasuredMemory {
  double batch = 0;
  double bytes = 0;
};

struct PredictedMemory {
  double bytes = 0;
  stats::Interval interval = {};  // 95 %, for one launch, if the relation is linear
};

// nullopt with fewer than three batch sizes, because two do not show the deviation from a line.
[[nodiscard]] std::optional<PredictedMemory> predict_memory(std::span<const MeasuredMemory> smaller,
                                                            double batch);

}  // namespace stepbench::tune
