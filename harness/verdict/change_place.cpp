// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/change_place.h"

#include <algorithm>
#include <cmath>

namespace stepbench::verdict {

double log_likelihood(std::span<const Measured> all, std::size_t changed, double kept_sd) {
  constexpr double kLeastVariance = 1e-18;
  // value = a * level + b * step + error; normal equations of level and step.
  double aa = 1 / (kept_sd * kept_sd);
  double ab = 0;
  double bb = 1;
  double ay = 0;
  double by = 0;
  double yy = 0;
  double log_variances = 0;
  for (const Measured& one : all) {
    const double v = std::max(one.variance, kLeastVariance);
    const double a = one.kept ? 1 : 0;
    const double b = one.place >= changed && (one.kept || one.base < changed) ? 1 : 0;
    aa += a / v;
    ab += a * b / v;
    bb += b / v;
    ay += a * one.value / v;
    by += b * one.value / v;
    yy += one.value * one.value / v;
    log_variances += std::log(v);
  }
  const double det = aa * bb - ab * ab;
  const double squares = yy - (bb * ay * ay - 2 * ab * ay * by + aa * by * by) / det;
  return -(squares + std::log(det) + log_variances) / 2;
}

std::vector<double> chances(std::vector<double> log_likelihoods) {
  const double most = *std::ranges::max_element(log_likelihoods);
  double all = 0;
  for (double& one : log_likelihoods) {
    one = std::exp(one - most);
    all += one;
  }
  for (double& one : log_likelihoods) one /= all;
  return log_likelihoods;
}

PlaceRange range(std::span<const double> chances, double confidence) {
  const auto best = static_cast<std::size_t>(std::ranges::max_element(chances) - chances.begin());
  std::size_t first = best;
  std::size_t last = best;
  for (double held = chances[best]; held < confidence && last - first + 1 < chances.size();) {
    const double left = first > 0 ? chances[first - 1] : -1;
    const double right = last + 1 < chances.size() ? chances[last + 1] : -1;
    held += left >= right ? chances[--first] : chances[++last];
  }
  return {first, last, best};
}

}  // namespace stepbench::verdict
