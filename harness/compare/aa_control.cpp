// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/aa_control.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/hodges_lehmann.h"
#include "harness/stats/order.h"
#include "harness/stats/rank_tests.h"

namespace stepbench::compare {

AaControl aa_control(std::span<const std::vector<double>> cases, double alpha) {
  AaControl control;
  std::vector<double> pooled;
  std::vector<double> changes;  // differences of logarithms
  for (const std::vector<double>& values : cases) {
    if (values.size() < 4 || !std::all_of(values.begin(), values.end(), [](double value) {
          return std::isfinite(value) && value > 0;
        })) {
      continue;
    }
    std::vector<double> logs(values);
    for (double& value : logs) value = std::log(value);
    const double spread = stats::robust_sd(logs);
    if (spread == 0) continue;
    for (std::size_t i = 0; i + 3 < logs.size(); i += 4) {
      const double difference = logs[i] + logs[i + 3] - logs[i + 1] - logs[i + 2];
      pooled.push_back(difference / spread);
      changes.push_back(difference / 2);
    }
  }
  control.pooled_quads = pooled.size();
  control.p = stats::signed_rank(pooled).p_two_sided;
  const stats::HodgesLehmann middle = stats::hodges_lehmann(changes, kControlConfidence);
  if (std::isfinite(middle.interval.low)) {
    control.change = std::expm1(middle.centre);
    control.interval = {std::expm1(middle.interval.low), std::expm1(middle.interval.high)};
  }
  if (pooled.size() < kMinQuads) return control;
  control.state = control.p <= alpha ? AaControl::State::kFailed : AaControl::State::kPassed;
  return control;
}

}  // namespace stepbench::compare
