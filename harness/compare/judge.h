// SPDX-License-Identifier: Apache-2.0
// The rule that turns the samples of two sides into a verdict: the paired engine (verdict/pairs.h)
// where they took turns, Mann and Whitney's test where one was measured after the other. Pure: the
// same samples give the same verdict, byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/compare/paired_samples.h"
#include "harness/stats/interval.h"

namespace stepbench::compare {

enum class Verdict : std::uint8_t {  // written to disk by name
  kRegression,
  kImprovement,
  // The typical launch and the mean of what launches cost are shown to lie within the margin, which
  // is more than "no difference found".
  kOk,
  kSuspect,  // what a sequential design says instead of the first two
  kInconclusive,
  kInvalid,
  kNoData
};
constexpr EnumNames<7> names_of(Verdict) {
  return {"regression", "improvement", "ok", "suspect", "inconclusive", "invalid", "no-data"};
}

struct VerdictRule {
  double q = 0.05;           // false discovery rate over the family
  double confidence = 0.95;  // of the interval
  Design design = Design::kInterleaved;
};
// Three looks at q = .02 have together what one at .05 has.
[[nodiscard]] constexpr VerdictRule rule_of_a_look() { return {.q = 0.02, .confidence = 0.98}; }

// Why a verdict is what it is, where the verdict itself does not say it all.
enum class TestReason : std::uint8_t {  // written to disk by name
  kNone,
  kTooFewPairs,
  kNotRejectedAfterCorrection,
  kBelowMargin,
  kMeanCost,  // the typical launch lies within the margin; what launches cost on average may not
  kWideInterval,
  kCountVaries,
  kExact,
  kNoPairs,
  kNoUsableValues,
  kTooManyDropped
};
constexpr EnumNames<11> names_of(TestReason) {
  return {"",
          "too_few_pairs",
          "not_rejected_after_correction",
          "below_margin",
          "mean_cost",
          "wide_interval",
          "count_varies",
          "exact",
          "no_pairs",
          "no_usable_values",
          "too_many_dropped"};
}
[[nodiscard]] std::string_view describe(TestReason reason);  // for people

// One metric of one case: how much it changed and what that is worth.
struct TestResult {
  Verdict verdict = Verdict::kNoData;
  TestReason reason = TestReason::kNone;
  bool slower = false;            // the estimate is on the bad side of zero
  std::size_t pairs = 0;          // usable; of a sequential design: launches of the side with fewer
  std::size_t dropped = 0;        // with a value that is not finite or not positive
  std::size_t ties = 0;           // pairs with no difference at all
  std::size_t base_launches = 0;  // usable
  std::size_t candidate_launches = 0;
  double base_median = 0;  // over usable values; NaN when there are none
  double candidate_median = 0;
  // Of the raw metric, Hodges-Lehmann: 0.02 = 2 % more; nullopt if 0 -> x, or no data.
  std::optional<double> change = {};
  stats::Interval interval = {};  // of `change`; from -1 to infinity with too few pairs
  // Of a regression or an improvement of pairs: `change` without what being claimed added to it.
  std::optional<double> corrected_change = {};
  stats::Interval sign_interval =
      {};  // the same by the sign test, which needs no symmetry; of pairs only
  // Of the mean over launches, by Student's t: it holds the few slow ones that `change` leaves out.
  // Of a rate, of the time that the work takes.
  std::optional<double> mean_change = {};
  stats::Interval mean_interval = {};
  std::size_t slow_base = 0;  // launches that cost far more than the others of their side
  std::size_t slow_candidate = 0;
  double slow_share_below = 1;  // of ok: a larger share of such launches would have been seen, 95 %
  double p = 0;  // of pairs or, of a sequential design, Mann-Whitney; two-sided; NaN: not tested
  double p_adjusted = 0;  // Benjamini-Hochberg over the family
  double p_mann_whitney = 0;
  double cles = 0;  // share of pairs in which the candidate is worse; all pairs where sequential
  std::optional<std::size_t> pairs_needed = {};  // when inconclusive; above 400 it means ">400"
  std::vector<std::string> notes = {};           // skewed, clock_resolution, zero_variance, ...
};

// A difference remains after the correction, and there are launches enough for an interval: without
// one nothing is said to have changed, however small the p-value.
[[nodiscard]] bool is_rejected(const TestResult& test, double q);

inline constexpr double kMaxDropped = 0.1;  // share of bad pairs beyond which nothing is said

struct TestFamily {
  std::vector<TestResult> tests = {};  // in the order of the samples
  std::size_t tested = 0;              // p-values that count for the correction
  std::size_t rejected_slower = 0;
  std::size_t rejected_faster = 0;
  std::size_t fewest_pairs = 0;  // of its tests
};

// With n pairs no p is below 2^(1-n), with n launches on each side none below 2 / C(2n, n): so many
// are needed before one of `tests` can be rejected while no other is.
[[nodiscard]] std::size_t pairs_to_reject(std::size_t tests, const VerdictRule& rule);
// What to tell of a family with fewer: "6 launches are too few to prove any single change here: use
// 8". Empty: they suffice, or there is no test.
[[nodiscard]] std::string too_few_to_prove(std::size_t pairs, std::size_t tests,
                                           const VerdictRule& rule);

// All of them are equal.
[[nodiscard]] bool constant(std::span<const double> values);

// One family: the correction for many tests is over all of it.
[[nodiscard]] TestFamily judge(std::span<const PairedSamples> all_samples, const VerdictRule& rule);

}  // namespace stepbench::compare
