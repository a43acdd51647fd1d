// SPDX-License-Identifier: Apache-2.0
// Comparisons of samples: tests, estimates and intervals based on ranks, the size of a difference,
// shares, and corrections for many tests at once. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/stats/order_statistics.h"

namespace stepbench::stats {

// Ranks: Wilcoxon's signed-rank test, for paired differences that are symmetric about their centre;
// the sign test's interval, which needs no symmetry; the Mann-Whitney test of two unpaired samples;
// the Hodges-Lehmann estimates that belong to them.

// Wilcoxon. Exact up to 50 non-zero differences, normal approximation beyond.
struct SignedRank {
  std::size_t n = 0;      // non-zero differences
  std::size_t zeros = 0;  // dropped
  double w = 0;           // sum of the mid-ranks of positive differences
  double p_two_sided = 1;
};

[[nodiscard]] SignedRank signed_rank(std::span<const double> differences);

// k such that the k-th smallest and the k-th largest Walsh average are the ends of the two-sided
// interval: the largest with P(T <= k - 1) <= alpha / 2 under the null law of n untied differences;
// 0 if there is none.
[[nodiscard]] std::size_t walsh_rank(std::size_t n, double alpha);

// k such that order statistics k and n + 1 - k of the differences are the ends of the sign test's
// interval; 0 if n is too small.
[[nodiscard]] std::size_t sign_rank(std::size_t n, double alpha);
[[nodiscard]] Interval sign_interval(std::span<const double> differences, double confidence);

// The same for the sorted differences of two unpaired samples of these sizes.
[[nodiscard]] std::size_t difference_rank(std::size_t m, std::size_t n, double alpha);

// Mann and Whitney. Exact, conditional on the ties, while both sizes are at most 50; normal
// approximation with continuity and tie correction beyond.
struct MannWhitney {
  double u = 0;            // pairs with x > y, ties count one half
  double p_two_sided = 1;  // 1 if a sample is empty or all values are equal
  bool exact = true;
  bool all_equal = false;
};

[[nodiscard]] MannWhitney mann_whitney(std::span<const double> x, std::span<const double> y);
// Logarithm of the smallest possible two-sided p-value for untied samples of these sizes; for some
// hundred values, the p-value itself underflows a double.
[[nodiscard]] double log_least_mann_whitney_p(std::size_t m, std::size_t n);

// Hodges-Lehmann estimates: the centre of paired differences, the shift between two unpaired
// samples, each with its interval.

struct HodgesLehmann {
  // Median of the Walsh averages (d_i + d_j) / 2, i <= j, including zeros; NaN if empty.
  double centre = 0;
  // (-inf, +inf) for too few differences: 95 % needs six.
  Interval interval;
};

// Both take n log n for n values, which must be finite; none is dropped.
[[nodiscard]] HodgesLehmann hodges_lehmann(std::span<const double> differences, double confidence);
// For two unpaired samples: the median of all differences y_j - x_i, with the interval of Mann and
// Whitney's test (Lehmann 1963). (-inf, +inf) for too few values: 95 % needs four each.
[[nodiscard]] HodgesLehmann hodges_lehmann(std::span<const double> x, std::span<const double> y,
                                           double confidence);

// The size of a difference: the probability that one value is above another, the ratio of two
// means, and the number of pairs that resolve it.

// Common-language effect size over all pairs (a_i, b_j): probability that b exceeds a. 0.5 if they
// are alike, NaN without data.
[[nodiscard]] double cles(std::span<const double> a, std::span<const double> b);
// The share above zero; zeros count one half.
[[nodiscard]] double paired_cles(std::span<const double> differences);

// Number of pairs that decides an effect at this distance from the margin with 80 % power at the 5
// % level, for differences of this standard deviation: 1.05 (z.975 + z.8)^2 sd^2 / distance^2. 1.05
// = pi / 3 is the loss of rank tests on normal data. `effect`, `sd` and `margin` in log ratios.
[[nodiscard]] std::size_t pairs_needed(double effect, double sd, double margin);
inline constexpr std::size_t kMaxPairsNeeded = 400;  // larger results are returned as 401: ">400"

// Ratio of the means of two samples: the total cost, including rare outliers that ranks and medians
// ignore.

// For positive values. By Student's t and the first-order error of the ratio (Cochran, Sampling
// Techniques, chapter 6).
struct MeanRatio {
  double ratio = 1;  // mean(b) / mean(a)
  // (-inf, +inf) for fewer than two values in a sample, or if a mean is not positive.
  Interval interval;
  double sd = 0;  // contribution of one pair to the log ratio
};

// Values at equal indexes are a pair: common effects cancel.
[[nodiscard]] MeanRatio paired_mean_ratio(std::span<const double> a, std::span<const double> b,
                                          double confidence);
// Unpaired; the samples may differ in size and spread (Welch).
[[nodiscard]] MeanRatio mean_ratio(std::span<const double> a, std::span<const double> b,
                                   double confidence);

// Exact statistics of shares counted in samples.

// Logarithm of the binomial coefficient for k <= n, which may overflow a double.
[[nodiscard]] double log_choose(std::size_t n, std::size_t k);

// Upper confidence bound of a share of which a sample of `n` contains `seen` (Clopper and Pearson
// 1934, one-sided): at 95 %, 1 - .05^(1 / n) if none was seen. 1 for n = 0.
[[nodiscard]] double largest_share(std::size_t seen, std::size_t n, double confidence);

// Fisher's exact test that two samples have the same share, two-sided p.
[[nodiscard]] double fisher_exact_p(std::size_t seen_a, std::size_t n_a, std::size_t seen_b,
                                    std::size_t n_b);

// Corrections for many tests at once, and for comparing many means with one.

// Control of the false discovery rate over one family of tests (Benjamini and Hochberg 1995).
struct FalseDiscovery {
  std::vector<double> adjusted;  // in input order; NaN stays NaN
  std::size_t family = 0;        // number of p-values, without NaN
  std::size_t not_a_number = 0;

  // True if the hypothesis is rejected at rate q.
  [[nodiscard]] bool rejected(std::size_t i, double q) const { return adjusted[i] <= q; }
};

[[nodiscard]] FalseDiscovery benjamini_hochberg(std::span<const double> p_values);

// Dunnett's one-sided critical value: with probability `confidence`, none of `comparisons`
// t-statistics of means against one common mean, all from equally many values, exceeds it.
// `degrees` of freedom of the pooled variance, 1 or more; `confidence` between 0 and 1. By
// quadrature, to 0.2 % (Dunnett 1955; Hsu, "Multiple comparisons", 1996, for comparisons with the
// unknown best).
[[nodiscard]] double dunnett_one_sided(std::size_t comparisons, double degrees, double confidence);

}  // namespace stepbench::stats
