// SPDX-License-Identifier: Apache-2.0
#include "harness/track/confirm_rule.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/compare/judge.h"
#include "harness/stats/hodges_lehmann.h"
#include "harness/stats/rank_tests.h"

namespace stepbench::track {

ConfirmAnswer confirm(std::span<const double> good, std::span<const double> tonight,
                      bool suspected_higher, double margin) {
  ConfirmAnswer answer;
  const auto usable = [](double value) { return std::isfinite(value) && value > 0; };
  const double sign = suspected_higher ? 1 : -1;
  std::vector<double> moved;  // log ratios; positive: where the suspicion points
  for (std::size_t i = 0; i < std::min(good.size(), tonight.size()); ++i) {
    if (usable(good[i]) && usable(tonight[i])) {
      moved.push_back(sign * std::log(tonight[i] / good[i]));
    } else {
      ++answer.dropped;
    }
  }
  answer.pairs = moved.size();
  const auto all = static_cast<double>(answer.pairs + answer.dropped);
  answer.judged = answer.pairs >= kMinConfirmPairs &&
                  static_cast<double>(answer.dropped) <= compare::kMaxDropped * all;
  if (!answer.judged) return answer;
  constexpr double kBothBounds = 0.90;
  const stats::HodgesLehmann estimate = stats::hodges_lehmann(moved, kBothBounds);
  answer.p = stats::signed_rank(moved).p_greater;
  answer.reproduced = answer.p < kConfirmP && estimate.interval.low > std::log1p(margin);
  answer.change = std::expm1(sign * estimate.centre);
  answer.low = std::expm1(sign * estimate.interval.low);
  answer.high = std::expm1(sign * estimate.interval.high);
  if (answer.low > answer.high) std::swap(answer.low, answer.high);
  return answer;
}

}  // namespace stepbench::track
