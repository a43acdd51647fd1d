// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/change_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stepbench::verdict {

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
