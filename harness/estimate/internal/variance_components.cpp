// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/internal/variance_components.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <map>
#include <numeric>

namespace stepbench::estimate {
namespace {

constexpr std::size_t kMinBlocks = 4;
// By simulation: above this, the variance of twenty blocks is too large by more than half.
constexpr double kMaxSimilarity = 0.5;

// Residuals of blocks after subtracting the mean of their series and the common mean at the same
// position: a pattern that repeats in each series, such as epoch borders, is not random. Series
// that are too short give empty residuals.
std::vector<std::vector<double>> rests_of(std::span<const std::vector<double>> blocks) {
  std::vector<std::vector<double>> rests(blocks.size());
  std::vector<double> sums;
  std::vector<double> counts;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].size() < kMinBlocks) continue;
    rests[i] = blocks[i];
    const double mean = std::accumulate(rests[i].begin(), rests[i].end(), 0.0) /
                        static_cast<double>(rests[i].size());
    sums.resize(std::max(sums.size(), rests[i].size()), 0);
    counts.resize(sums.size(), 0);
    for (std::size_t at = 0; at < rests[i].size(); ++at) {
      rests[i][at] -= mean;
      sums[at] += rests[i][at];
      counts[at] += 1;
    }
  }
  for (std::vector<double>& rest : rests) {
    for (std::size_t at = 0; at < rest.size(); ++at) {
      if (counts[at] < 2) continue;
      // The position's mean includes this block: rescale the residual.
      rest[at] = (rest[at] - sums[at] / counts[at]) * std::sqrt(counts[at] / (counts[at] - 1));
    }
  }
  return rests;
}

double sum_of_squares(const std::vector<double>& rest) {
  return std::inner_product(rest.begin(), rest.end(), rest.begin(), 0.0);
}

double sum_of_products(const std::vector<double>& rest) {  // neighbours only
  return std::inner_product(rest.begin() + 1, rest.end(), rest.begin(), 0.0);
}

// Autocorrelation of neighbouring blocks. Means estimated from the blocks themselves bias it
// downwards by (1 + 4 rho) / n.
double neighbours_alike(double products, double squares, double blocks_each) {
  constexpr double kMin = -0.5;
  constexpr double kMax = 0.9;
  if (!(squares > 0)) return 0;
  const double seen = products / squares;
  return std::clamp(seen + (1 + 4 * seen) / blocks_each, kMin, kMax);
}

// Quantile of F with `degrees` over infinitely many degrees of freedom.
double chi_square_ratio(double degrees, double below) {
  return boost::math::quantile(boost::math::chi_squared(degrees), below) / degrees;
}

double squared(double x) { return x * x; }

}  // namespace

LongRunVariance long_run_variance(std::span<const std::vector<double>> blocks,
                                  std::span<const double> lengths) {
  const std::vector<std::vector<double>> rests = rests_of(blocks);
  double squares = 0;
  double products = 0;
  double all = 0;
  double series = 0;
  for (const std::vector<double>& rest : rests) {
    if (rest.empty()) continue;
    squares += sum_of_squares(rest);
    products += sum_of_products(rest);
    all += static_cast<double>(rest.size());
    series += 1;
  }
  if (series == 0) return {};
  const double alike = neighbours_alike(products, squares, all / series);
  const double factor = (1 + alike) / (1 - alike);
  LongRunVariance result{.too_slow = alike > kMaxSimilarity};
  for (std::size_t i = 0; i < rests.size(); ++i) {
    if (rests[i].empty()) continue;
    // Squares about the series' own mean exclude the variation of that mean.
    const double degrees = std::max(static_cast<double>(rests[i].size()) - factor, 1.0);
    result.variance += sum_of_squares(rests[i]) / degrees * factor * lengths[i] / series;
  }
  // A third of the degrees, because the factor is estimated too.
  result.degrees = std::max((all - series) / 3, 1.0);
  return result;
}

VarianceDifference variance_difference(const MeanSquare& outer, const MeanSquare& inner,
                                       double confidence) {
  const double tail = (1 - confidence) / 2;
  const double a = outer.value;
  const double b = inner.value;
  VarianceDifference result{.value = std::max(a - b, 0.0)};
  if (!(outer.degrees >= 1) || !(inner.degrees >= 1)) return result;
  const boost::math::fisher_f ratio(outer.degrees, inner.degrees);
  const double f_high = boost::math::quantile(boost::math::complement(ratio, tail));
  const double f_low = boost::math::quantile(ratio, tail);
  const double outer_down = 1 - 1 / chi_square_ratio(outer.degrees, 1 - tail);
  const double outer_up = 1 / chi_square_ratio(outer.degrees, tail) - 1;
  const double inner_down = 1 - 1 / chi_square_ratio(inner.degrees, 1 - tail);
  const double inner_up = 1 / chi_square_ratio(inner.degrees, tail) - 1;
  const double both_low =
      (squared(f_high - 1) - squared(outer_down * f_high) - squared(inner_up)) / f_high;
  const double both_high =
      (squared(1 - f_low) - squared(outer_up * f_low) - squared(inner_down)) / f_low;
  const double low = squared(outer_down * a) + squared(inner_up * b) + both_low * a * b;
  const double high = squared(outer_up * a) + squared(inner_down * b) + both_high * a * b;
  result.interval = {std::max(a - b - std::sqrt(std::max(low, 0.0)), 0.0),
                     std::max(a - b + std::sqrt(std::max(high, 0.0)), 0.0)};
  return result;
}

NestedVariances nested_variances(std::span<const NestedValue> values, double confidence) {
  struct Group {
    double sum = 0;
    double n = 0;
    [[nodiscard]] double mean() const { return sum / n; }
  };
  std::map<std::size_t, std::map<std::size_t, Group>> groups;
  std::map<std::size_t, Group> outers;
  Group whole;
  for (const NestedValue& each : values) {
    for (Group* group : {&groups[each.outer][each.inner], &outers[each.outer], &whole}) {
      group->sum += each.value;
      group->n += 1;
    }
  }
  NestedVariances result{.outer_groups = groups.size()};
  double within_squares = 0;
  double inner_squares = 0;
  double outer_squares = 0;
  for (const NestedValue& each : values) {
    within_squares += squared(each.value - groups[each.outer][each.inner].mean());
  }
  double inner_sizes = 0;  // sum over outer groups of (sum of squared sizes) / size
  double all_inner_sizes = 0;
  double outer_sizes = 0;
  for (const auto& [outer, inners] : groups) {
    const Group& own = outers[outer];
    double sizes = 0;
    for (const auto& [inner, group] : inners) {
      inner_squares += group.n * squared(group.mean() - own.mean());
      sizes += squared(group.n);
    }
    result.inner_groups += inners.size();
    outer_squares += own.n * squared(own.mean() - whole.mean());
    inner_sizes += sizes / own.n;
    all_inner_sizes += sizes / whole.n;
    outer_sizes += squared(own.n) / whole.n;
  }
  const auto inner_count = static_cast<double>(result.inner_groups);
  const auto outer_count = static_cast<double>(result.outer_groups);
  const MeanSquare within{within_squares / std::max(whole.n - inner_count, 1.0),
                          whole.n - inner_count};
  const MeanSquare inner{inner_squares / std::max(inner_count - outer_count, 1.0),
                         inner_count - outer_count};
  const MeanSquare outer{outer_squares / std::max(outer_count - 1, 1.0), outer_count - 1};
  result.within = within.value;
  result.inner_known = within.degrees >= 1 && inner.degrees >= 1;
  if (!result.inner_known) return result;
  const double per_inner = (whole.n - inner_sizes) / inner.degrees;
  const auto scaled = [&](MeanSquare square, double by) {
    square.value /= by;
    return square;
  };
  result.inner =
      variance_difference(scaled(inner, per_inner), scaled(within, per_inner), confidence);
  result.outer_known = outer.degrees >= 1;
  if (!result.outer_known) return result;
  // E[outer] = within + c * inner variance + d * outer variance; `inner` is rescaled to the same
  // multiple of the inner variance.
  const double c = (inner_sizes - all_inner_sizes) / outer.degrees;
  const double d = (whole.n - outer_sizes) / outer.degrees;
  const MeanSquare expected{within.value + c / per_inner * (inner.value - within.value),
                            inner.degrees};
  result.outer = variance_difference(
      scaled(outer, d), scaled({std::max(expected.value, 0.0), expected.degrees}, d), confidence);
  return result;
}

}  // namespace stepbench::estimate
