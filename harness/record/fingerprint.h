// SPDX-License-Identifier: Apache-2.0
// What launches of one case computed: does one program do what the other does? Pure; any thread.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "harness/record/reader.h"

namespace stepbench::record {

struct Computed {
  double value = 0;  // median over the launches; NaN where any launch has no finite number
  double low = 0;    // smallest and largest of the launches
  double high = 0;
  double spread = 0;  // largest relative difference between two of the launches
};
using Fingerprints = std::map<std::string, Computed, std::less<>>;

// "loss", "gradient_norm": what the launches say. A name that the first of them with a fingerprint
// lacks is none of what the case computes.
[[nodiscard]] Fingerprints fingerprints_of(std::span<const Launch* const> launches);

// What another rank than the first of a group computed, in the row of the first: "rank.3.loss", and
// in words "loss of rank 3". A name of the first rank is its own words.
[[nodiscard]] std::string fingerprint_of_rank(std::string_view name, int rank);
[[nodiscard]] std::string fingerprint_words(std::string_view name);

// Of the larger one. Infinite where only one of the two is a number, 0 where neither is.
[[nodiscard]] double relative_difference(double a, double b);

// Beyond which two results are not the same, by precision ("fp32", "tf32", "bf16", "fp16"): sums in
// another order and kernels that round otherwise stay within it.
[[nodiscard]] double precision_limit(std::string_view precision);
// model.precision; fp32 where the case does not say.
[[nodiscard]] std::string precision_of(const LaunchRow& row);

// Launches that add in an order of their own, as atomic additions on a GPU do, differ among
// themselves: what lies within twice of that is no difference either.
[[nodiscard]] double same_within(double limit, double spread);

}  // namespace stepbench::record
