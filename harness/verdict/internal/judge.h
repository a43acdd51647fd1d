// SPDX-License-Identifier: Apache-2.0
// Turns the samples of one metric of one case in two arms into a verdict: with the paired engine
// (verdict/pairs.h) if the arms took turns, with the Mann-Whitney test if one was measured after
// the other. Pure: the same samples give the same verdict, byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/record/rows.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::verdict {

// interleaved: the arms took turns in one campaign. sequential: one arm was measured after the
// other, so that drift of the machine looks like a change; such a comparison confirms nothing.
enum class Design : std::uint8_t { kInterleaved, kSequential };
constexpr EnumNames<2> names_of(Design) { return {"interleaved", "sequential"}; }

// Every value is one process. If the arms took turns, equal indexes form a pair, and surplus values
// of the longer arm are used only by unpaired figures; in a sequential design all values count.
struct PairedSamples {
  std::vector<double> base = {};
  std::vector<double> candidate = {};
  Direction direction = Direction::kLowerIsBetter;
  double margin = 0.01;  // largest relative change that does not matter
  bool exact = false;    // a count that should not vary
  bool zeros = false;    // 0 is a valid value, not a sign of failure
};

// Finite values that are valid for a time, rate or count; selected by pairs if the sides took
// turns.

struct UsableSamples {
  std::vector<double> base = {};  // in an interleaved design equal indexes form a pair
  std::vector<double> candidate = {};
  std::vector<double> all_base = {};  // paired or unpaired
  std::vector<double> all_candidate = {};
  std::size_t dropped = 0;  // dropped pairs, or values in a sequential design
};
[[nodiscard]] UsableSamples usable_samples(const PairedSamples& samples, Design design);

// Represents -log(0); a log ratio above kNoPercentage compares a value with zero.
inline constexpr double kFromZero = 1000;
inline constexpr double kNoPercentage = 100;
[[nodiscard]] double log_of(double value);

// -1 if higher is better: multiplied by it, a larger log ratio is worse.
[[nodiscard]] double sign_of(Direction direction);

// Log ratio of each pair; larger is worse.
[[nodiscard]] std::vector<double> log_differences(const UsableSamples& usable, Direction direction);

// Slow launches: users notice them, but the shift of the typical launch does not show them.

struct SlowLaunches {
  std::size_t base = 0;  // slow launches of `base_launches`
  std::size_t base_launches = 0;
  std::size_t candidate = 0;
  std::size_t candidate_launches = 0;
  double excess = 0;  // median excess of slow launches over their side's median: 0.9 = 90 %
  double p = 1;       // Fisher's exact test of equal shares
};

// `base` and `candidate`: cost of each launch, larger is worse. A launch is slow if it exceeds the
// median of its side by 5 % and by five robust standard deviations, pooled over both sides.
[[nodiscard]] SlowLaunches slow_launches(std::span<const double> base,
                                         std::span<const double> candidate);

// "4 of 40 launches of the candidate and none of 40 of the base stand out as worse, by 98 % in the
// middle (that both have as many: p 0.12)"
[[nodiscard]] std::string to_text(const SlowLaunches& slow);

// Verdicts on the samples.

enum class Verdict : std::uint8_t {  // written to disk by name
  kRegression,
  kImprovement,
  // Both the typical launch and the mean cost of launches are shown to lie within the margin, which
  // is stronger than "no difference found".
  kOk,
  kSuspect,  // replaces the first two in a sequential design
  kInconclusive,
  kInvalid,
  kNoData
};
constexpr EnumNames<7> names_of(Verdict) {
  return {"regression", "improvement", "ok", "suspect", "inconclusive", "invalid", "no-data"};
}

struct VerdictRule {
  double q = 0.05;           // false discovery rate over the family
  double confidence = 0.95;  // of `interval`
  Design design = Design::kInterleaved;
};
// Three looks at q = 0.02 have the same total error rate as one at 0.05.
[[nodiscard]] constexpr VerdictRule rule_of_a_look() { return {.q = 0.02, .confidence = 0.98}; }

// Explains a verdict if its name is not enough.
enum class TestReason : std::uint8_t {  // written to disk by name
  kNone,
  kTooFewPairs,
  kNotRejectedAfterCorrection,
  kBelowMargin,
  kMeanCost,  // the typical launch lies within the margin; the mean cost may not
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

// Result for one metric of one case: the change and its significance.
struct TestResult {
  Verdict verdict = Verdict::kNoData;
  TestReason reason = TestReason::kNone;
  bool slower = false;            // the estimate is worse than the base
  std::size_t pairs = 0;          // usable; in a sequential design: launches of the smaller side
  std::size_t dropped = 0;        // pairs with a value that is not finite or not positive
  std::size_t ties = 0;           // pairs with equal values
  std::size_t base_launches = 0;  // usable
  std::size_t candidate_launches = 0;
  double base_median = 0;  // over usable values; NaN if there are none
  double candidate_median = 0;
  // Change of the raw metric, Hodges-Lehmann: 0.02 = 2 % more; nullopt if 0 -> x, or no data.
  std::optional<double> change = {};
  stats::Interval interval = {};  // of `change`; from -1 to infinity with too few pairs
  // Bias-corrected `change` of a paired regression or improvement, given that it was reported.
  std::optional<double> corrected_change = {};
  stats::Interval sign_interval =
      {};  // of `change` by the sign test, which does not assume symmetry; paired designs only
  // Change of the mean over launches, by Student's t: includes the few slow launches that `change`
  // ignores. For a rate, of the time that the work takes.
  std::optional<double> mean_change = {};
  stats::Interval mean_interval = {};
  std::size_t slow_base = 0;  // launches that cost far more than the others of their side
  std::size_t slow_candidate = 0;
  double slow_share_below = 1;  // for ok: 95 % upper bound on the share of such launches
  double p = 0;                 // two-sided; paired, or Mann-Whitney if sequential; NaN: not tested
  double p_adjusted = 0;        // Benjamini-Hochberg over the family
  double p_mann_whitney = 0;
  double cles = 0;  // share of pairs with a worse candidate; over all combinations if sequential
  std::optional<std::size_t> pairs_needed = {};  // if inconclusive; shown as ">400" above 400
  std::vector<std::string> notes = {};           // skewed, clock_resolution, zero_variance, ...
};

// True if the difference remains after the correction and there are enough launches for an
// interval: without one no change is claimed, however small the p-value.
[[nodiscard]] bool is_rejected(const TestResult& test, double q);

inline constexpr double kMaxDropped = 0.1;  // share of dropped pairs; more: no verdict

struct TestFamily {
  std::vector<TestResult> tests = {};  // in the order of the samples
  std::size_t tested = 0;              // number of p-values in the correction
  std::size_t rejected_slower = 0;
  std::size_t rejected_faster = 0;
  std::size_t fewest_pairs = 0;  // smallest number of pairs of its tests
};

// Smallest number of pairs or launches with which one of `tests` can be rejected while the others
// are not: with n pairs no p is below 2^(1-n), with n launches per side none below 2 / C(2n, n).
[[nodiscard]] std::size_t pairs_to_reject(std::size_t tests, const VerdictRule& rule);
// Message if `pairs` is smaller than that: "6 launches are too few to prove any single change here:
// use 8". Empty if they suffice or there is no test.
[[nodiscard]] std::string too_few_to_prove(std::size_t pairs, std::size_t tests,
                                           const VerdictRule& rule);

[[nodiscard]] bool constant(std::span<const double> values);

// The multiple-testing correction covers all samples as one family.
[[nodiscard]] TestFamily judge(std::span<const PairedSamples> all_samples, const VerdictRule& rule);

}  // namespace stepbench::verdict
