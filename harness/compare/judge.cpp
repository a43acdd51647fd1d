// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "harness/stats/benjamini_hochberg.h"
#include "harness/stats/bootstrap.h"
#include "harness/stats/effect_size.h"
#include "harness/stats/order.h"
#include "harness/stats/rank_tests.h"
#include "harness/text/words.h"

namespace stepbench::compare {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kManyTies = 0.2;

// Pairs of finite, positive values; a pair with a bad value is dropped.
struct UsablePairs {
  std::vector<double> base;  // paired with `candidate`
  std::vector<double> candidate;
  std::vector<double> all_base;  // paired or not
  std::vector<double> all_candidate;
  std::size_t dropped = 0;  // pairs
};

UsablePairs usable_pairs(const PairedSamples& samples) {
  UsablePairs result;
  const auto good = [&](double value) {
    return std::isfinite(value) && (value > 0 || (samples.exact && value == 0));
  };
  const std::size_t pairs = std::min(samples.base.size(), samples.candidate.size());
  for (std::size_t i = 0; i < pairs; ++i) {
    if (!good(samples.base[i]) || !good(samples.candidate[i])) {
      ++result.dropped;
      continue;
    }
    result.base.push_back(samples.base[i]);
    result.candidate.push_back(samples.candidate[i]);
  }
  std::copy_if(samples.base.begin(), samples.base.end(), std::back_inserter(result.all_base), good);
  std::copy_if(samples.candidate.begin(), samples.candidate.end(),
               std::back_inserter(result.all_candidate), good);
  return result;
}

// In log ratios with the sign that makes larger worse.
struct Estimate {
  double centre = 0;
  stats::Interval interval;
  double spread = 0;
};

double sign_of(Direction direction) { return direction == Direction::kHigherIsBetter ? -1 : 1; }

// From "log ratio, larger is worse" to the relative change of the raw metric.
stats::Interval raw_change(stats::Interval log_ratio, double sign) {
  stats::Interval change{std::expm1(sign * log_ratio.low), std::expm1(sign * log_ratio.high)};
  if (sign < 0) std::swap(change.low, change.high);
  return change;
}

bool within(const stats::Interval& interval, double margin) {
  return -margin <= interval.low && interval.high <= margin;
}

bool beyond(const stats::Interval& interval, double margin) {
  return interval.low > margin || interval.high < -margin;
}

// Counts that do not vary inside an arm: no statistics. Those that vary are no counts of the
// program alone, and there is no verdict on them.
void judge_exactly(const PairedSamples& samples, Design design, const UsablePairs& usable,
                   TestResult& test) {
  test.p = kNotANumber;
  test.p_adjusted = kNotANumber;
  test.p_mann_whitney = kNotANumber;
  if (!constant(usable.base) || !constant(usable.candidate)) {
    const auto [low, high] = std::minmax_element(usable.base.begin(), usable.base.end());
    const auto [new_low, new_high] =
        std::minmax_element(usable.candidate.begin(), usable.candidate.end());
    test.notes.push_back("exact distribution expected, but values range from " +
                         stepbench::to_text(Value{std::min(*low, *new_low)}) + " to " +
                         stepbench::to_text(Value{std::max(*high, *new_high)}));
    test.verdict = Verdict::kInconclusive;
    test.reason = TestReason::kCountVaries;
    return;
  }
  const double a = usable.base.front();
  const double b = usable.candidate.front();
  test.slower = sign_of(samples.direction) * (b - a) > 0;
  if (a != 0) test.change = b / a - 1;
  if (a == b) test.change = 0;
  test.interval = {test.change.value_or(kNotANumber), test.change.value_or(kNotANumber)};
  test.sign_interval = test.interval;
  test.cles = a == b ? 0.5 : test.slower ? 1 : 0;
  test.reason = TestReason::kExact;
  if (a == b) {
    test.verdict = Verdict::kOk;
  } else if (design == Design::kSequential) {
    test.verdict = Verdict::kSuspect;
  } else {
    test.verdict = test.slower ? Verdict::kRegression : Verdict::kImprovement;
  }
}

Estimate estimate(const PairedSamples& samples, const VerdictRule& rule, const UsablePairs& usable,
                  TestResult& test) {
  const double sign = sign_of(samples.direction);
  std::vector<double> differences(usable.base.size());
  for (std::size_t i = 0; i < differences.size(); ++i) {
    differences[i] = sign * std::log(usable.candidate[i] / usable.base[i]);
  }
  const stats::HodgesLehmann hodges_lehmann_estimate =
      stats::hodges_lehmann(differences, rule.confidence);
  const stats::SignedRank ranked = stats::signed_rank(differences);
  const stats::Interval sign_test = stats::sign_interval(differences, rule.confidence);
  Estimate result{hodges_lehmann_estimate.centre, hodges_lehmann_estimate.interval,
                  stats::robust_sd(differences)};
  if (result.spread == 0) result.spread = stats::standard_deviation(differences);

  test.ties = ranked.zeros;
  test.slower = result.centre > 0;
  test.change = std::expm1(sign * result.centre);
  test.interval = raw_change(result.interval, sign);
  test.sign_interval = raw_change(sign_test, sign);
  test.p = ranked.p_two_sided;
  test.p_mann_whitney = stats::mann_whitney(usable.all_base, usable.all_candidate).p_two_sided;
  test.cles = stats::paired_cles(differences);
  if (rule.bootstrap) {
    test.bootstrap =
        stats::bootstrap_ratio_of_medians(usable.all_base, usable.all_candidate, rule.confidence);
  }
  const double margin = std::log1p(samples.margin);
  if (beyond(sign_test, margin) != beyond(result.interval, margin)) {
    test.notes.emplace_back("skewed");
  }
  const auto n = static_cast<double>(differences.size());
  if (static_cast<double>(ranked.zeros) > kManyTies * n && ranked.zeros < differences.size()) {
    test.notes.emplace_back("clock_resolution");
  }
  if (constant(differences) && differences.front() != 0) {
    test.notes.emplace_back("zero_variance");
  }
  return result;
}

void decide(const PairedSamples& samples, const VerdictRule& rule, const Estimate& estimate,
            std::size_t tests, TestResult& test) {
  const double margin = std::log1p(samples.margin);
  const stats::Interval& interval = estimate.interval;
  const bool rejected = test.p_adjusted <= rule.q;
  const bool worse = rejected && interval.low > margin;
  const bool better = rejected && interval.high < -margin;
  const bool sequential = rule.design == Design::kSequential;
  if (worse || better) {
    test.verdict = sequential ? Verdict::kSuspect
                   : worse    ? Verdict::kRegression
                              : Verdict::kImprovement;
    return;
  }
  if (within(interval, margin)) {
    test.verdict = Verdict::kOk;
    return;
  }
  test.verdict = Verdict::kInconclusive;
  if (stats::walsh_rank(test.pairs, 1 - rule.confidence) == 0) {
    test.reason = TestReason::kTooFewPairs;
  } else if (beyond(interval, margin)) {
    test.reason = TestReason::kNotRejectedAfterCorrection;
  } else if (rejected) {
    test.reason = TestReason::kBelowMargin;
  } else {
    test.reason = TestReason::kWideInterval;
  }
  std::size_t least = std::max<std::size_t>(6, test.pairs + 1);
  if (test.reason == TestReason::kNotRejectedAfterCorrection) {
    least = std::max(least, pairs_to_reject(tests, rule.q));
  }
  test.pairs_needed =
      std::max(stats::pairs_needed(estimate.centre, estimate.spread, margin), least);
}

struct ReasonName {
  TestReason reason;
  std::string_view name;
  std::string_view words;
};
constexpr std::array<ReasonName, 11> kReasons = {
    {{TestReason::kNone, "", ""},
     {TestReason::kTooFewPairs, "too_few_pairs", "too few pairs"},
     {TestReason::kNotRejectedAfterCorrection, "not_rejected_after_correction", "may be chance"},
     {TestReason::kBelowMargin, "below_margin", "perhaps within the margin"},
     {TestReason::kWideInterval, "wide_interval", ""},
     {TestReason::kCountVaries, "count_varies", "a count that varies between launches"},
     {TestReason::kExact, "exact", "counted exactly"},
     {TestReason::kNoPairs, "no_pairs", "no pair was measured"},
     {TestReason::kNoUsableValues, "no_usable_values", "no pair has a usable value"},
     {TestReason::kTooManyDropped, "too_many_dropped", "too many pairs lack a value"},
     {TestReason::kNoise, "noise", "too noisy"}}};

const ReasonName& row_of(TestReason reason) {
  return *std::find_if(kReasons.begin(), kReasons.end(),
                       [&](const ReasonName& row) { return row.reason == reason; });
}

}  // namespace

std::size_t pairs_to_reject(std::size_t tests, double q) {
  return static_cast<std::size_t>(std::ceil(1 + std::log2(static_cast<double>(tests) / q)));
}

std::string too_few_to_prove(std::size_t pairs, std::size_t tests, double q,
                             std::string_view unit) {
  const std::size_t needed = tests == 0 ? 0 : pairs_to_reject(tests, q);
  if (pairs >= needed) return {};
  return text::counted(static_cast<std::int64_t>(pairs), unit) + (pairs == 1 ? " is" : " are") +
         " too few to prove any single change among " +
         text::counted(static_cast<std::int64_t>(tests), "test") + ": use " +
         std::to_string(needed) + " or more";
}

std::string_view name_of(TestReason reason) { return row_of(reason).name; }

std::string_view words_of(TestReason reason) { return row_of(reason).words; }

bool constant(std::span<const double> values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRegression:
      return "regression";
    case Verdict::kImprovement:
      return "improvement";
    case Verdict::kOk:
      return "ok";
    case Verdict::kSuspect:
      return "suspect";
    case Verdict::kInconclusive:
      return "inconclusive";
    case Verdict::kInvalid:
      return "invalid";
    case Verdict::kNoData:
      return "no-data";
  }
  return "";
}

std::string_view name_of(Design design) {
  return design == Design::kInterleaved ? "interleaved" : "sequential";
}

TestFamily judge(std::span<const PairedSamples> all_samples, const VerdictRule& rule) {
  TestFamily family;
  family.tests.resize(all_samples.size());
  std::vector<Estimate> estimates(all_samples.size());
  std::vector<double> p_values(all_samples.size(), kNotANumber);
  std::size_t fewest_pairs = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < all_samples.size(); ++i) {
    const PairedSamples& samples = all_samples[i];
    TestResult& test = family.tests[i];
    const UsablePairs usable = usable_pairs(samples);
    test.pairs = usable.base.size();
    test.dropped = usable.dropped;
    test.base_median = stats::median(usable.all_base);
    test.candidate_median = stats::median(usable.all_candidate);
    test.p = test.p_adjusted = test.p_mann_whitney = test.cles = kNotANumber;
    const double all = static_cast<double>(test.pairs + test.dropped);
    if (test.pairs == 0) {
      test.reason = test.dropped > 0 ? TestReason::kNoUsableValues : TestReason::kNoPairs;
      continue;
    }
    if (static_cast<double>(test.dropped) > kMaxDropped * all) {
      test.reason = TestReason::kTooManyDropped;
      continue;
    }
    if (samples.exact) {
      judge_exactly(samples, rule.design, usable, test);
      continue;
    }
    estimates[i] = estimate(samples, rule, usable, test);
    test.verdict = Verdict::kInconclusive;
    p_values[i] = test.p;
    fewest_pairs = std::min(fewest_pairs, test.pairs);
  }

  const stats::FalseDiscovery correction = stats::benjamini_hochberg(p_values);
  family.tested = correction.family;
  for (std::size_t i = 0; i < all_samples.size(); ++i) {
    if (std::isnan(p_values[i])) continue;
    TestResult& test = family.tests[i];
    test.p_adjusted = correction.adjusted[i];
    decide(all_samples[i], rule, estimates[i], family.tested, test);
    if (test.p_adjusted <= rule.q) {
      ++(test.slower ? family.rejected_slower : family.rejected_faster);
    }
  }
  if (family.tested > 0) family.fewest_pairs = fewest_pairs;
  return family;
}

}  // namespace stepbench::compare
