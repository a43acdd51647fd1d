// SPDX-License-Identifier: Apache-2.0
// How much memory a larger batch will hold, by smaller ones: a line through what they held. Pure;
// any thread.
#pragma once

#include <optional>
#include <span>

#include "harness/stats/interval.h"

namespace stepbench::tune {

struct HeldMemory {
  double batch = 0;
  double bytes = 0;
};

struct PredictedMemory {
  double bytes = 0;
  stats::Interval interval = {};  // 95 %, of one launch; as far as the line holds
};

// nullopt with fewer than three batch sizes: of two nothing says how far they are from a line.
[[nodiscard]] std::optional<PredictedMemory> predict_memory(std::span<const HeldMemory> smaller,
                                                            double batch);

}  // namespace stepbench::tune
