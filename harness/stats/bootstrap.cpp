// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "harness/stats/random.h"

namespace stepbench::stats {
namespace {

// Medians of resamples of one arm: draws are counted per rank, and the middle is found by walking
// the counts, which is several times faster than copying and selecting.
class Arm {
 public:
  explicit Arm(std::span<const double> values)
      : sorted_(values.begin(), values.end()), counts_(values.size()) {
    std::sort(sorted_.begin(), sorted_.end());
  }

  [[nodiscard]] double resampled_median(Random& random) {
    const std::size_t n = sorted_.size();
    std::fill(counts_.begin(), counts_.end(), std::uint16_t{0});
    for (std::size_t i = 0; i < n; ++i) ++counts_[random.below(static_cast<std::uint32_t>(n))];
    std::size_t rank = 0;
    std::size_t seen = counts_[0];
    while (seen <= (n - 1) / 2) seen += counts_[++rank];
    const double lower = sorted_[rank];
    while (seen <= n / 2) seen += counts_[++rank];
    return (lower + sorted_[rank]) / 2;
  }

 private:
  std::vector<double> sorted_;
  std::vector<std::uint16_t> counts_;
};

}  // namespace

Interval bootstrap_ratio_of_medians(std::span<const double> a, std::span<const double> b,
                                    double confidence, std::size_t resamples) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (a.empty() || b.empty() || resamples == 0) return {kNan, kNan};
  Random random(seed_of(b, seed_of(a)));
  Arm base(a);
  Arm candidate(b);
  std::vector<double> ratios(resamples);
  for (double& ratio : ratios) {
    const double denominator = base.resampled_median(random);
    ratio = candidate.resampled_median(random) / denominator;
  }
  const auto rank = [&](double q) {
    const double r = std::floor(q * static_cast<double>(resamples + 1) + 1e-9);  // 1-based
    const auto most = static_cast<double>(resamples);
    return static_cast<std::ptrdiff_t>(std::clamp(r, 1.0, most)) - 1;
  };
  const std::ptrdiff_t low = rank((1 - confidence) / 2);
  const std::ptrdiff_t high = rank((1 + confidence) / 2);
  std::nth_element(ratios.begin(), ratios.begin() + low, ratios.end());
  Interval interval{ratios[static_cast<std::size_t>(low)], 0};
  std::nth_element(ratios.begin() + low, ratios.begin() + high, ratios.end());
  interval.high = ratios[static_cast<std::size_t>(high)];
  return interval;
}

}  // namespace stepbench::stats
