// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/claimed_size.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace stepbench::stats {
namespace {

constexpr double kFarOff = 8;  // standard errors: what lies farther off weighs nothing

double below(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

struct WeighedPoint {
  double x = 0;
  double weight = 0;
};

// By Simpson's rule, appended.
template <typename Density>
void add_points(double low, double high, const Density& density, std::vector<WeighedPoint>& to) {
  constexpr int kSlices = 64;
  if (!(high > low)) return;
  const double width = (high - low) / kSlices;
  for (int i = 0; i <= kSlices; ++i) {
    const double share = i == 0 || i == kSlices ? 1 : i % 2 == 1 ? 4 : 2;
    const double x = low + i * width;
    to.push_back({x, share * width / 3 * density(x)});
  }
}

double sum_of(const std::vector<WeighedPoint>& points) {
  double sum = 0;
  for (const WeighedPoint& point : points) sum += point.weight;
  return sum;
}

// The probability that all looks but the last did what they did, where the last one saw `x`. `sd`:
// of one value.
double earlier_looks(std::span<const ClaimLook> looks, double x, double sd) {
  if (looks.size() < 2) return 1;
  const ClaimLook& before = looks[looks.size() - 2];
  const double bridge = sd * std::sqrt(1 / before.values - 1 / looks.back().values);
  const std::span<const ClaimLook> earlier = looks.first(looks.size() - 1);
  if (earlier.size() == 1) {
    return before.claimed ? below((x - before.bound) / bridge) : below((before.bound - x) / bridge);
  }
  const double low = x - kFarOff * bridge;
  const double high = x + kFarOff * bridge;
  std::vector<WeighedPoint> points;
  add_points(
      before.claimed ? std::max(low, before.bound) : low,
      before.claimed ? high : std::min(high, before.bound),
      [&](double y) {
        const double z = (y - x) / bridge;
        return std::exp(-z * z / 2) * earlier_looks(earlier, y, sd);
      },
      points);
  return sum_of(points) / (bridge * std::sqrt(2 * std::numbers::pi));
}

}  // namespace

double size_given_claim(double estimate, double standard_error, std::span<const ClaimLook> looks,
                        const Interval& range) {
  if (!(standard_error > 0) || looks.empty()) return estimate;
  const double sd = standard_error * std::sqrt(looks.back().values);
  // The law for an effect of `estimate`; that for another effect is this one tilted.
  const auto density = [&](double x) {
    const double z = (x - estimate) / standard_error;
    return std::exp(-z * z / 2) * earlier_looks(looks, x, sd);
  };
  const double least = std::max(looks.back().bound, estimate - kFarOff * standard_error);
  std::vector<WeighedPoint> smaller;
  std::vector<WeighedPoint> larger;
  add_points(least, estimate, density, smaller);
  add_points(estimate, estimate + 2 * kFarOff * standard_error, density, larger);
  const auto is_too_small = [&](double effect) {
    const double tilt = (effect - estimate) / (standard_error * standard_error);
    double balance = 0;
    for (const WeighedPoint& point : larger) {
      balance += point.weight * std::exp(tilt * (point.x - estimate));
    }
    for (const WeighedPoint& point : smaller) {
      balance -= point.weight * std::exp(tilt * (point.x - estimate));
    }
    return balance < 0;
  };
  double low = std::max(range.low, estimate - kFarOff * standard_error);
  double high = std::min(range.high, estimate + kFarOff * standard_error);
  while (high - low > 1e-4 * standard_error) {
    const double middle = (low + high) / 2;
    (is_too_small(middle) ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace stepbench::stats
