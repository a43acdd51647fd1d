// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

#include "harness/stats/order.h"
#include "harness/track/screens.h"

namespace stepbench::track::screens {
namespace {

constexpr std::size_t kPredictFrom = 64;  // points before tonight's
constexpr double kPredictBound = 0.99;    // on either side

// By how many points it is predicted from: to work a quantile out takes longer than all the rest.
double student_bound(std::size_t points) {
  static const auto bounds = [] {
    std::array<double, kPredictFrom + 1> all{};
    for (std::size_t n = 2; n <= kPredictFrom; ++n) {
      all[n] =
          boost::math::quantile(boost::math::students_t(static_cast<double>(n - 1)), kPredictBound);
    }
    return all;
  }();
  return bounds[points];
}

}  // namespace

// Bencher's t_test threshold, with a least spread: without one a series that never varied could
// change by any amount.
ScreenAnswer t_pred(std::span<const double> segment, double resolution) {
  const double tonight = segment.back();
  const auto before = segment.first(segment.size() - 1);
  const auto base = before.last(std::min(kPredictFrom, before.size()));
  const auto n = static_cast<double>(base.size());
  ScreenAnswer answer;
  answer.usual = std::accumulate(base.begin(), base.end(), 0.0) / n;
  answer.change = change_from(answer.usual, tonight);
  answer.since = segment.size() - 1;
  const double spread =
      std::max(stats::standard_deviation(base), least_spread(answer.usual, resolution)) *
      std::sqrt(1 + 1 / n);
  answer.score = distance(tonight, answer.usual, spread);
  answer.higher = answer.score > student_bound(base.size());
  answer.lower = answer.score < -student_bound(base.size());
  return answer;
}

}  // namespace stepbench::track::screens
