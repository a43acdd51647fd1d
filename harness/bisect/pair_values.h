// SPDX-License-Identifier: Apache-2.0
// What one comparison of two programs measured of the metric that a search judges. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/compare/ab_comparison.h"
#include "harness/record/reader.h"

namespace stepbench::bisect {

struct PairValues {
  std::vector<double> log_ratios = {};  // log(candidate / base); positive is worse
  std::size_t uneven = 0;               // pairs that the machine did not treat alike: left out
};
// Of the first `most` pairs, those that both sides measured.
[[nodiscard]] PairValues pair_values(const record::Results& results, const compare::AbPoint& point,
                                     const compare::TestedMetrics& tested,
                                     const std::vector<Metric>& columns, std::size_t most);

}  // namespace stepbench::bisect
