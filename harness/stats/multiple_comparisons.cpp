// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/comparisons.h"

#include <boost/math/distributions/chi_squared.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace stepbench::stats {

FalseDiscovery benjamini_hochberg(std::span<const double> p_values) {
  FalseDiscovery result;
  result.adjusted.assign(p_values.begin(), p_values.end());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    if (!std::isnan(p_values[i])) order.push_back(i);
  }
  result.family = order.size();
  result.not_a_number = p_values.size() - order.size();
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return p_values[a] != p_values[b] ? p_values[a] < p_values[b] : a < b;
  });
  double least = 1;
  for (std::size_t i = order.size(); i > 0; --i) {
    const double scaled = p_values[order[i - 1]] * static_cast<double>(order.size());
    least = std::min(least, scaled / static_cast<double>(i));
    result.adjusted[order[i - 1]] = least;
  }
  return result;
}

namespace {

double normal_cdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

struct Node {
  double x = 0;
  double weight = 0;
};

// Nodes of the standard normal distribution, by the trapezoid rule: far more exact than needed.
std::vector<Node> normal_nodes() {
  constexpr int kHalf = 16;
  constexpr double kReach = 6.4;
  constexpr double kStep = kReach / kHalf;
  std::vector<Node> nodes;
  for (int i = -kHalf; i <= kHalf; ++i) {
    const double x = i * kStep;
    nodes.push_back({x, kStep * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi)});
  }
  return nodes;
}

// Nodes of sqrt(chi-square / degrees): the midpoints of equally likely slices.
std::vector<Node> scale_nodes(double degrees) {
  constexpr int kSlices = 120;
  const boost::math::chi_squared law(degrees);
  std::vector<Node> nodes;
  for (int i = 0; i < kSlices; ++i) {
    const double middle = (i + 0.5) / kSlices;
    nodes.push_back({std::sqrt(boost::math::quantile(law, middle) / degrees), 1.0 / kSlices});
  }
  return nodes;
}

// P(max of the standardized differences <= d). They share the other mean, hence their correlation
// of 1/2.
double normal_maximum_cdf(double d, double comparisons, const std::vector<Node>& nodes) {
  double sum = 0;
  for (const Node& node : nodes) {
    sum += node.weight * std::pow(normal_cdf(d * std::numbers::sqrt2 + node.x), comparisons);
  }
  return sum;
}

}  // namespace

double dunnett_one_sided(std::size_t comparisons, double degrees, double confidence) {
  const auto k = static_cast<double>(comparisons);
  const std::vector<Node> normal = normal_nodes();
  const std::vector<Node> scales = scale_nodes(degrees);
  const auto holds = [&](double d) {
    double sum = 0;
    for (const Node& scale : scales) {
      sum += scale.weight * normal_maximum_cdf(d * scale.x, k, normal);
    }
    return sum >= confidence;
  };
  double low = -10;
  double high = 10;
  while (!holds(high)) high *= 2;
  while (high - low > 1e-4) {
    const double middle = (low + high) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace stepbench::stats
