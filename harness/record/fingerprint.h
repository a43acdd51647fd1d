// SPDX-License-Identifier: Apache-2.0
// Compares the results that launches of one case computed: do two programs do the same? Pure; any
// thread.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "harness/record/reader.h"

namespace stepbench::record {

struct Computed {
  double value = 0;  // median over the launches; NaN if any launch has no finite number
  double low = 0;    // minimum and maximum over the launches
  double high = 0;
  double spread = 0;  // largest relative difference between two launches
};
using Fingerprints = std::map<std::string, Computed, std::less<>>;

// Fingerprints of the launches by name: "loss", "gradient_norm". Only the names of the first launch
// with a fingerprint are used.
[[nodiscard]] Fingerprints fingerprints_of(std::span<const Launch* const> launches);

// Names of fingerprints of other ranks, which are in the row of the first rank: "rank.3.loss",
// displayed as "loss of rank 3". A name of the first rank is displayed unchanged.
[[nodiscard]] std::string fingerprint_of_rank(std::string_view name, int rank);
[[nodiscard]] std::string fingerprint_words(std::string_view name);

// Relative to the larger one. Infinite if only one of the two is a number, 0 if neither is.
[[nodiscard]] double relative_difference(double a, double b);

// Largest relative difference of equal results, by precision ("fp32", "tf32", "bf16", "fp16"):
// covers sums in another order and kernels with other rounding.
[[nodiscard]] double precision_limit(std::string_view precision);
// model.precision; fp32 if the case does not set it.
[[nodiscard]] std::string precision_of(const LaunchRow& row);

// Launches with nondeterministic order, such as atomic additions on a GPU, differ among themselves:
// differences up to twice that spread are accepted too.
[[nodiscard]] double same_within(double limit, double spread);

}  // namespace stepbench::record
