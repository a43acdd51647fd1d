// SPDX-License-Identifier: Apache-2.0
// Values of a search's metric from one comparison of two programs. Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/compare/ab_comparison.h"
#include "harness/record/reader.h"

namespace stepbench::bisect {

struct PairValues {
  std::vector<double> log_ratios = {};  // log(candidate / base); positive is worse
  std::size_t uneven = 0;               // pairs excluded because machine conditions differed
};
// Uses the first `most` pairs that both sides measured.
[[nodiscard]] PairValues pair_values(const record::Results& results, const compare::AbPoint& point,
                                     const compare::TestedMetrics& tested,
                                     const std::vector<Metric>& columns, std::size_t most);

}  // namespace stepbench::bisect
