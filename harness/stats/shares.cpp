// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/comparisons.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

namespace stepbench::stats {
double log_choose(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t of) {
    return boost::math::lgamma(static_cast<double>(of) + 1);
  };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

double largest_share(std::size_t seen, std::size_t n, double confidence) {
  if (seen >= n) return 1;
  if (seen == 0) return 1 - std::pow(1 - confidence, 1 / static_cast<double>(n));
  return boost::math::binomial_distribution<>::find_upper_bound_on_p(
      static_cast<double>(n), static_cast<double>(seen), 1 - confidence);
}

double fisher_exact_p(std::size_t seen_a, std::size_t n_a, std::size_t seen_b, std::size_t n_b) {
  const std::size_t seen = seen_a + seen_b;
  const auto log_ways = [&](std::size_t in_a) {
    return log_choose(n_a, in_a) + log_choose(n_b, seen - in_a);
  };
  constexpr double kRoundingError = 1e-8;  // in logarithms: ways that differ only by rounding
  const double observed = log_ways(seen_a);
  const double all = log_choose(n_a + n_b, seen);
  double p = 0;
  for (std::size_t k = seen > n_b ? seen - n_b : 0; k <= std::min(seen, n_a); ++k) {
    const double ways = log_ways(k);
    if (ways <= observed + kRoundingError) p += std::exp(ways - all);
  }
  return std::min(1.0, p);
}

}  // namespace stepbench::stats
