// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/pairs.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "harness/stats/comparisons.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::verdict {
namespace {

constexpr double kReach = 2.75;     // robust standard deviations
constexpr double kRobust = 1.4826;  // converts a median distance to a standard deviation
constexpr double kCentre = 1.07;    // variance of the centre / variance of a mean
constexpr double kMinLayout = .002;
// Below the resolution of any clock; gives equal pairs a finite weight.
constexpr double kMinVariance = 1e-18;

double centre(Pairs pairs) { return stats::hodges_lehmann(pairs, 0).centre; }

boost::math::students_t law(double freedom) {
  return boost::math::students_t(std::max(1.0, freedom));
}

bool is_known(const Estimate& estimate) {
  return estimate.freedom > 0 && std::isfinite(estimate.variance);
}

}  // namespace

PairSpread spread(std::span<const Pairs> blocks, std::span<const double> centres) {
  std::vector<double> distances;  // squares times n / (n - 1): the centre is estimated
  double freedom = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Pairs block = blocks[i];
    if (block.size() < 2) continue;
    const auto n = static_cast<double>(block.size());
    const double middle = centres.empty() ? centre(block) : centres[i];
    freedom += n - 1;
    for (const double pair : block)
      distances.push_back(std::abs(pair - middle) * std::sqrt(n / (n - 1)));
  }
  if (distances.empty()) return {};
  const double reach = kReach * kRobust * stats::median(distances);
  double squares = 0;
  for (const double distance : distances) {
    squares += std::pow(reach > 0 ? std::min(distance, reach) : distance, 2);
  }
  return {std::sqrt(squares / static_cast<double>(distances.size())), freedom};
}

double variance(const PairSpread& spread, double pairs) {
  if (spread.freedom <= 0 || pairs <= 0) return std::numeric_limits<double>::infinity();
  return kCentre * spread.sd * spread.sd / pairs;
}

Estimate estimate(Pairs pairs, const PairSpread& spread, double layout) {
  if (pairs.empty()) return {};
  return {centre(pairs), variance(spread, static_cast<double>(pairs.size())) + 2 * layout * layout,
          spread.freedom};
}

Estimate operator-(const Estimate& a, const Estimate& b) {
  return {a.value - b.value, a.variance + b.variance, std::min(a.freedom, b.freedom)};
}

Estimate mean(std::span<const Estimate> estimates) {
  double sum = 0;
  double weights = 0;
  double freedom = std::numeric_limits<double>::infinity();
  for (const Estimate& one : estimates) {
    const double weight = 1 / std::max(one.variance, kMinVariance);
    sum += one.value * weight;
    weights += weight;
    freedom = std::min(freedom, one.freedom);
  }
  if (weights <= 0) return {};
  return {sum / weights, 1 / weights, freedom};
}

double layout(std::span<const Estimate> builds, double assumed, double builds_assumed) {
  if (builds.size() < 2) return std::max(kMinLayout, assumed);
  std::vector<double> steps;
  double launches = 0;
  for (std::size_t i = 1; i < builds.size(); ++i) {
    steps.push_back(std::abs(builds[i].value - builds[i - 1].value));
    launches += builds[i].variance;
  }
  const auto n = static_cast<double>(steps.size());
  const double reach = kReach * kRobust * stats::median(steps);
  double squares = 0;
  for (const double step : steps) squares += std::pow(std::min(step, reach), 2);
  const double found = std::max(0.0, (squares / 2 - launches) / n);
  const double square = assumed * assumed;
  // Builds are less informative about the layout if launches vary more.
  const double known = square > 0 ? n * square / (square + launches / n) : n;
  return std::max(kMinLayout,
                  std::sqrt((builds_assumed * square + known * found) / (builds_assumed + known)));
}

stats::Interval interval(const Estimate& estimate, double error) {
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  if (!is_known(estimate)) return {-kUnbounded, kUnbounded};
  const double half = boost::math::quantile(boost::math::complement(law(estimate.freedom), error)) *
                      std::sqrt(estimate.variance);
  return {estimate.value - half, estimate.value + half};
}

double p_value(const Estimate& estimate) {
  if (!is_known(estimate)) return std::numeric_limits<double>::quiet_NaN();
  if (estimate.value == 0) return 1;
  if (estimate.variance == 0) return 0;
  const double t = std::abs(estimate.value) / std::sqrt(estimate.variance);
  return 2 * boost::math::cdf(boost::math::complement(law(estimate.freedom), t));
}

stats::Interval interval(Pairs pairs, const Estimate& estimate, double error) {
  const stats::Interval student = interval(estimate, error);
  const stats::Interval ranks = stats::hodges_lehmann(pairs, 1 - 2 * error).interval;
  return {std::min(student.low, ranks.low), std::max(student.high, ranks.high)};
}

double p_value(Pairs pairs, const Estimate& estimate) {
  return std::max(stats::signed_rank(pairs).p_two_sided, p_value(estimate));
}

double claimed_size(const Estimate& estimate, double bound, double margin) {
  constexpr int kHalvings = 40;
  const double scale = std::sqrt(2 * estimate.variance);
  if (!(scale > 0)) return std::max(margin, estimate.value);
  const auto above = [scale](double x, double size) { return std::erfc((x - size) / scale) / 2; };
  double low = margin;
  double high = std::max(margin, estimate.value);
  for (int i = 0; i < kHalvings; ++i) {
    const double size = (low + high) / 2;
    (above(estimate.value, size) > above(bound, size) / 2 ? high : low) = size;
  }
  return high;
}

// Model: y = a + b + error, with a the kept program's offset and b the step. Uses the residual sum
// of squares of the best a and b, and the determinant from integrating them out.
double log_likelihood(std::span<const Measured> all, std::size_t place, double offset_variance) {
  double aa = offset_variance > 0 ? 1 / offset_variance : 0;
  double ab = 0;
  double bb = 0;
  double ay = 0;
  double by = 0;
  double yy = 0;
  double log_variances = offset_variance > 0 ? std::log(offset_variance) : 0;
  bool any_against_good_end = false;
  for (const Measured& one : all) {
    const double weight = 1 / one.variance;
    const bool steps = one.place >= place && (one.against_good_end || one.base < place);
    any_against_good_end = any_against_good_end || one.against_good_end;
    if (one.against_good_end) aa += weight, ay += one.value * weight;
    if (steps) bb += weight, by += one.value * weight;
    if (one.against_good_end && steps) ab += weight;
    yy += one.value * one.value * weight;
    log_variances += std::log(one.variance);
  }
  if (!any_against_good_end && offset_variance <= 0) aa = 1;
  const double determinant = aa * bb - ab * ab;
  if (!(determinant > 0)) return -std::numeric_limits<double>::infinity();
  const double squares = yy - (bb * ay * ay - 2 * ab * ay * by + aa * by * by) / determinant;
  return -(squares + std::log(determinant) + log_variances) / 2;
}

std::vector<double> chances(std::vector<double> log_likelihoods) {
  const double most = *std::ranges::max_element(log_likelihoods);
  const bool any = std::isfinite(most);
  double all = 0;
  for (double& one : log_likelihoods) all += one = any ? std::exp(one - most) : 1;
  for (double& one : log_likelihoods) one /= all;
  return log_likelihoods;
}

Places likeliest(std::span<const double> chances, double confidence) {
  const auto best = static_cast<std::size_t>(std::ranges::max_element(chances) - chances.begin());
  Places places{best, best, best};
  for (double probability = chances[best];
       probability < confidence && places.last - places.first + 1 < chances.size();) {
    const double left = places.first > 0 ? chances[places.first - 1] : -1;
    const double right = places.last + 1 < chances.size() ? chances[places.last + 1] : -1;
    probability += left >= right ? chances[--places.first] : chances[++places.last];
  }
  return places;
}

}  // namespace stepbench::verdict
