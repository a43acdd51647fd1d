// SPDX-License-Identifier: Apache-2.0
// What of two sides can be judged: finite values that a time, a rate or a count may have, as pairs
// where the sides took turns. Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/compare/paired_samples.h"

namespace stepbench::compare {

struct UsableSamples {
  std::vector<double> base = {};  // of an interleaved design equal indexes are a pair
  std::vector<double> candidate = {};
  std::vector<double> all_base = {};  // paired or not
  std::vector<double> all_candidate = {};
  std::size_t dropped = 0;  // pairs, or values of a sequential design
};
[[nodiscard]] UsableSamples usable_samples(const PairedSamples& samples, Design design);

// Stands for the logarithm of 0; a log ratio above kNoPercentage is of a value against none at all.
inline constexpr double kFromZero = 1000;
inline constexpr double kNoPercentage = 100;
[[nodiscard]] double log_of(double value);

// -1 where higher is better: times a log ratio, larger is worse.
[[nodiscard]] double sign_of(Direction direction);

// Of each pair the log ratio, larger is worse.
[[nodiscard]] std::vector<double> log_differences(const UsableSamples& usable, Direction direction);

}  // namespace stepbench::compare
