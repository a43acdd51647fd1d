// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/sequential_test.h"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/stats/order.h"

namespace stepbench::bisect {
namespace {

// The size steers all later decisions, so that it is measured until it is this many standard errors
// from nothing.
constexpr double kWellKnown = 5;

// A launch beside something else may take twice as long: pairs that are further from the median
// than so many standard deviations count as if they were so far. With fewer pairs the median
// deviation, which tells them, is not known well enough.
constexpr double kReach = 2.75;
constexpr std::size_t kFewestToHold = 12;

std::vector<double> held_in(LogRatios values) {
  std::vector<double> held(values.begin(), values.end());
  if (held.size() < kFewestToHold) return held;
  const double middle = stats::median(values);
  const double reach = kReach * stats::robust_sd(values);
  for (double& value : held) value = std::clamp(value, middle - reach, middle + reach);
  return held;
}

double mean_of(LogRatios values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_about_mean(LogRatios values) {
  const double mean = mean_of(values);
  return std::accumulate(values.begin(), values.end(), 0.0, [&](double sum, double value) {
    return sum + (value - mean) * (value - mean);
  });
}

double standard_error_of(LogRatios values) {
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares_about_mean(values) / (count - 1) / count);
}

}  // namespace

void PooledSpread::add(LogRatios log_ratios) {
  if (log_ratios.size() < 2) return;
  const std::vector<double> held = held_in(log_ratios);
  sum_of_squares_ += squares_about_mean(held);
  freedom_ += log_ratios.size() - 1;
}

double PooledSpread::variance() const {
  return freedom_ == 0 ? 0 : sum_of_squares_ / static_cast<double>(freedom_);
}

Side side_of(LogRatios log_ratios, double size, PooledSpread earlier, double error) {
  if (log_ratios.size() < kFewestPairs) return Side::kOpen;
  earlier.add(log_ratios);
  const double nearer_to_bad = mean_of(held_in(log_ratios)) - size / 2;
  // Programs on a virtual clock do not vary at all.
  if (earlier.variance() == 0) return nearer_to_bad > 0 ? Side::kBad : Side::kGood;
  const double log_likelihood_ratio =
      static_cast<double>(log_ratios.size()) * size * nearer_to_bad / earlier.variance();
  const double half = static_cast<double>(earlier.freedom()) / 2;
  const double bound = half * (std::pow(2 * error, -1 / half) - 1);
  if (log_likelihood_ratio >= bound) return Side::kBad;
  return log_likelihood_ratio <= -bound ? Side::kGood : Side::kOpen;
}

Ends interval_of(LogRatios log_ratios, double error) {
  if (log_ratios.size() < 2) return {};
  const std::vector<double> held = held_in(log_ratios);
  const double standard_error = standard_error_of(held);
  const double tail = error / static_cast<double>(kLooksAtEnds.size());
  const boost::math::students_t spread(static_cast<double>(log_ratios.size() - 1));
  const double half_width =
      standard_error * boost::math::quantile(boost::math::complement(spread, tail));
  const double size = mean_of(held);
  return {.worse = size > half_width,
          .size = size,
          .low = size - half_width,
          .high = size + half_width,
          .standard_error = standard_error};
}

Ends judge_ends(LogRatios log_ratios, double error) {
  Ends ends = interval_of(log_ratios, error);
  ends.over = log_ratios.size() >= kLooksAtEnds.back() ||
              (ends.worse && ends.size >= kWellKnown * standard_error_of(held_in(log_ratios)));
  return ends;
}

double error_of_decision(double confidence, std::size_t commits) {
  const auto halvings = static_cast<double>(std::bit_width(commits > 0 ? commits - 1 : 0));
  return (1 - confidence) / (halvings + 1);
}

}  // namespace stepbench::bisect
