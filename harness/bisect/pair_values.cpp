// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/pair_values.h"

#include <algorithm>
#include <cmath>

#include "harness/compare/ab_pairs.h"
#include "harness/compare/gates.h"
#include "harness/compare/metric_values.h"
#include "harness/compare/tested_metrics.h"

namespace stepbench::bisect {

PairValues pair_values(const record::Results& results, const compare::AbPoint& point,
                       const compare::TestedMetrics& tested, const std::vector<Metric>& columns,
                       std::size_t most) {
  std::vector<const record::Launch*> launches;
  for (const record::Launch& launch : results.launches) launches.push_back(&launch);
  const compare::AbPairs pairs = compare::ab_pairs(launches, {point}, most).front();
  const std::vector<const record::Launch*>& base = pairs.pair.base.measured;
  const std::vector<const record::Launch*>& candidate = pairs.pair.candidate.measured;
  PairValues values;
  if (base.empty() || candidate.empty()) return values;
  const compare::PairedSamples samples =
      compare::metric_samples(pairs, columns, tested).front().samples;
  const double sign = samples.direction == Direction::kHigherIsBetter ? -1 : 1;
  for (std::size_t i = 0; i < std::min(base.size(), candidate.size()); ++i) {
    const double ratio = sign * std::log(samples.candidate[i] / samples.base[i]);
    if (!std::isfinite(ratio)) continue;
    if (compare::is_even(base[i]->row, candidate[i]->row)) {
      values.log_ratios.push_back(ratio);
    } else {
      ++values.uneven;
    }
  }
  return values;
}

}  // namespace stepbench::bisect
