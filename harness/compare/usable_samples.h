// SPDX-License-Identifier: Apache-2.0
// Filters samples to finite values valid for a time, rate or count; by pairs if the sides took
// turns. Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/compare/paired_samples.h"

namespace stepbench::compare {

struct UsableSamples {
  std::vector<double> base = {};  // in an interleaved design equal indexes form a pair
  std::vector<double> candidate = {};
  std::vector<double> all_base = {};  // paired or unpaired
  std::vector<double> all_candidate = {};
  std::size_t dropped = 0;  // dropped pairs, or values in a sequential design
};
[[nodiscard]] UsableSamples usable_samples(const PairedSamples& samples, Design design);

// Represents -log(0); a log ratio above kNoPercentage compares a value with zero.
inline constexpr double kFromZero = 1000;
inline constexpr double kNoPercentage = 100;
[[nodiscard]] double log_of(double value);

// -1 if higher is better: multiplied by it, a larger log ratio is worse.
[[nodiscard]] double sign_of(Direction direction);

// Log ratio of each pair; larger is worse.
[[nodiscard]] std::vector<double> log_differences(const UsableSamples& usable, Direction direction);

}  // namespace stepbench::compare
