// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/internal/judge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include "harness/base/format.h"
#include "harness/stats/comparisons.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/words.h"
#include "harness/verdict/pairs.h"

namespace stepbench::verdict {

UsableSamples usable_samples(const PairedSamples& samples, Design design) {
  UsableSamples result;
  const auto good = [&](double value) {
    const bool may_be_zero = samples.exact || samples.zeros;
    return std::isfinite(value) && (value > 0 || (may_be_zero && value == 0));
  };
  std::copy_if(samples.base.begin(), samples.base.end(), std::back_inserter(result.all_base), good);
  std::copy_if(samples.candidate.begin(), samples.candidate.end(),
               std::back_inserter(result.all_candidate), good);
  if (design == Design::kSequential) {
    result.base = result.all_base;
    result.candidate = result.all_candidate;
    result.dropped = samples.base.size() + samples.candidate.size() - result.base.size() -
                     result.candidate.size();
    return result;
  }
  const std::size_t pairs = std::min(samples.base.size(), samples.candidate.size());
  for (std::size_t i = 0; i < pairs; ++i) {
    if (!good(samples.base[i]) || !good(samples.candidate[i])) {
      ++result.dropped;
      continue;
    }
    result.base.push_back(samples.base[i]);
    result.candidate.push_back(samples.candidate[i]);
  }
  return result;
}

double log_of(double value) { return value == 0 ? -kFromZero : std::log(value); }

double sign_of(Direction direction) { return direction == Direction::kHigherIsBetter ? -1 : 1; }

std::vector<double> log_differences(const UsableSamples& usable, Direction direction) {
  const double sign = sign_of(direction);
  std::vector<double> differences(usable.base.size());
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const double before = usable.base[i];
    const double after = usable.candidate[i];
    const bool has_zero = before == 0 || after == 0;
    differences[i] = sign * (has_zero ? log_of(after) - log_of(before) : std::log(after / before));
  }
  return differences;
}

namespace {

constexpr double kMinExcess = 0.05;
constexpr double kSpreads = 5;

// Relative excess of each value over the median of its side.
std::vector<double> excesses(std::span<const double> side) {
  const double centre = stats::median(side);
  std::vector<double> beyond;
  for (const double cost : side) beyond.push_back(cost / centre - 1);
  return beyond;
}

std::string seen_text(std::size_t seen) { return seen == 0 ? "none" : std::to_string(seen); }

}  // namespace

SlowLaunches slow_launches(std::span<const double> base, std::span<const double> candidate) {
  SlowLaunches slow{.base_launches = base.size(), .candidate_launches = candidate.size()};
  const std::vector<double> before = excesses(base);
  const std::vector<double> after = excesses(candidate);
  std::vector<double> all(before);
  all.insert(all.end(), after.begin(), after.end());
  if (!std::all_of(all.begin(), all.end(), [](double each) { return std::isfinite(each); })) {
    return slow;
  }
  const double fence = std::max(kMinExcess, kSpreads * stats::robust_sd(all));
  const auto is_slow = [&](double excess) { return excess > fence; };
  slow.base = static_cast<std::size_t>(std::count_if(before.begin(), before.end(), is_slow));
  slow.candidate = static_cast<std::size_t>(std::count_if(after.begin(), after.end(), is_slow));
  if (slow.base + slow.candidate == 0) return slow;
  std::erase_if(all, [&](double excess) { return !is_slow(excess); });
  slow.excess = stats::median(all);
  slow.p = stats::fisher_exact_p(slow.base, base.size(), slow.candidate, candidate.size());
  return slow;
}

std::string to_text(const SlowLaunches& slow) {
  std::array<char, 96> numbers{};
  std::snprintf(numbers.data(), numbers.size(),
                " of the base stand out as worse, by %.0f %%%s (that both have as many: p %.2g)",
                100 * slow.excess, slow.base + slow.candidate > 1 ? " in the middle" : "", slow.p);
  return formatted("{} of {} of the candidate and {} of {}{}", seen_text(slow.candidate),
                   text::counted(static_cast<std::int64_t>(slow.candidate_launches), "launch"),
                   seen_text(slow.base), slow.base_launches, numbers.data());
}

namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kUnbounded = std::numeric_limits<double>::infinity();
// An unpaired design needs as many launches per side as the signed-rank interval needs pairs.
constexpr std::size_t kMinLaunchesToJudge = 6;
constexpr double kManyTies = 0.2;
constexpr double kSlowAlpha = 0.05;  // for the note on the share of slow launches
constexpr double kSlowConfidence = 0.95;

// Log ratios, signed so that larger is worse.
struct Shift {
  double centre = 0;
  stats::Interval interval;
  double spread = 0;  // standard deviation of pair differences, or pooled over both sides
  Estimate paired = {};
};
struct ArmsEstimate {
  Shift typical;  // Hodges-Lehmann
  Shift mean;     // mean cost of launches
};

double percentage(double log_ratio) {
  return log_ratio > kNoPercentage ? kUnbounded : std::expm1(log_ratio);
}

// Converts a log ratio, larger is worse, to the relative change of the raw metric.
stats::Interval raw_change(stats::Interval log_ratio, double sign) {
  stats::Interval change{percentage(sign * log_ratio.low), percentage(sign * log_ratio.high)};
  if (sign < 0) std::swap(change.low, change.high);
  return change;
}

bool within(const stats::Interval& interval, double margin) {
  return -margin <= interval.low && interval.high <= margin;
}

bool beyond(const stats::Interval& interval, double margin) {
  return interval.low > margin || interval.high < -margin;
}

// Judges counts that are constant within each arm, without statistics. Counts that vary do not
// depend on the program alone and get no verdict.
void judge_exactly(const PairedSamples& samples, Design design, const UsableSamples& usable,
                   TestResult& test) {
  test.p = kNotANumber;
  test.p_adjusted = kNotANumber;
  test.p_mann_whitney = kNotANumber;
  if (!constant(usable.base) || !constant(usable.candidate)) {
    const auto [low, high] = std::minmax_element(usable.base.begin(), usable.base.end());
    const auto [new_low, new_high] =
        std::minmax_element(usable.candidate.begin(), usable.candidate.end());
    test.notes.push_back(formatted("exact distribution expected, but values range from {} to {}",
                                   stepbench::to_text(Value{std::min(*low, *new_low)}),
                                   stepbench::to_text(Value{std::max(*high, *new_high)})));
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

bool is_claim(Verdict verdict) {
  return verdict == Verdict::kRegression || verdict == Verdict::kImprovement;
}

double spread_of(const std::vector<double>& values) {
  const double robust = stats::robust_sd(values);
  return robust == 0 ? stats::standard_deviation(values) : robust;
}

// By the paired engine, or by ranks of all launches if sequential.
Shift typical_shift(const PairedSamples& samples, const VerdictRule& rule,
                    const UsableSamples& usable, TestResult& test) {
  const double sign = sign_of(samples.direction);
  const double margin = std::log1p(samples.margin);
  if (rule.design == Design::kSequential) {
    std::vector<double> base;
    std::vector<double> candidate;
    for (const double value : usable.base) base.push_back(sign * log_of(value));
    for (const double value : usable.candidate) candidate.push_back(sign * log_of(value));
    const stats::HodgesLehmann shift = stats::hodges_lehmann(base, candidate, rule.confidence);
    test.p = test.p_mann_whitney;
    test.cles = stats::cles(base, candidate);
    test.sign_interval = {kNotANumber, kNotANumber};
    const bool few = std::min(base.size(), candidate.size()) < kMinLaunchesToJudge;
    return {shift.centre,
            few ? stats::Interval{-kUnbounded, kUnbounded} : shift.interval,
            std::hypot(spread_of(base), spread_of(candidate)),
            {}};
  }
  const std::vector<double> differences = log_differences(usable, samples.direction);
  const Pairs pairs = differences;
  const Estimate typical = verdict::estimate(pairs, verdict::spread({&pairs, 1}));
  const bool few = differences.size() < kMinLaunchesToJudge;
  const stats::Interval interval =
      few ? stats::Interval{-kUnbounded, kUnbounded}
          : verdict::interval(pairs, typical, (1 - rule.confidence) / 2);
  const stats::Interval sign_test = stats::sign_interval(differences, rule.confidence);
  test.ties = static_cast<std::size_t>(std::ranges::count(differences, 0));
  test.sign_interval = raw_change(sign_test, sign);
  test.p = differences.size() < 2 ? 1 : verdict::p_value(pairs, typical);
  test.cles = stats::paired_cles(differences);
  if (beyond(sign_test, margin) != beyond(interval, margin)) {
    test.notes.emplace_back("skewed");
  }
  const auto n = static_cast<double>(differences.size());
  if (static_cast<double>(test.ties) > kManyTies * n && test.ties < differences.size()) {
    test.notes.emplace_back("clock_resolution");
  }
  if (differences.size() > 1 && constant(differences) && differences.front() != 0) {
    test.notes.emplace_back("zero_variance");
  }
  return {typical.value, interval, spread_of(differences), typical};
}

// Cost per launch: for a rate, the time that the work takes.
std::vector<double> costs(const std::vector<double>& values, double sign) {
  std::vector<double> result(values);
  if (sign < 0) {
    for (double& value : result) value = 1 / value;
  }
  return result;
}

Shift mean_shift(std::span<const double> base, std::span<const double> candidate,
                 const VerdictRule& rule) {
  const stats::MeanRatio mean = rule.design == Design::kSequential
                                    ? stats::mean_ratio(base, candidate, rule.confidence)
                                    : stats::paired_mean_ratio(base, candidate, rule.confidence);
  const double low = mean.interval.low;
  return {std::log(mean.ratio),
          {low > 0 ? std::log(low) : -kUnbounded, std::log(mean.interval.high)},
          mean.sd,
          {}};
}

ArmsEstimate estimate(const PairedSamples& samples, const VerdictRule& rule,
                      const UsableSamples& usable, TestResult& test) {
  const double sign = sign_of(samples.direction);
  const double margin = std::log1p(samples.margin);
  test.p_mann_whitney = stats::mann_whitney(usable.all_base, usable.all_candidate).p_two_sided;
  const Shift typical = typical_shift(samples, rule, usable, test);
  test.slower = typical.centre > 0;
  if (sign * typical.centre <= kNoPercentage) test.change = std::expm1(sign * typical.centre);
  test.interval = raw_change(typical.interval, sign);
  const std::vector<double> before = costs(usable.base, sign);
  const std::vector<double> after = costs(usable.candidate, sign);
  const Shift mean = mean_shift(before, after, rule);
  test.mean_change = std::expm1(sign * mean.centre);
  test.mean_interval = raw_change(mean.interval, sign);
  const SlowLaunches slow = slow_launches(before, after);
  test.slow_base = slow.base;
  test.slow_candidate = slow.candidate;
  const bool hidden = within(typical.interval, margin) && !within(mean.interval, margin);
  if (slow.base + slow.candidate > 0 && (hidden || slow.p <= kSlowAlpha)) {
    test.notes.push_back(to_text(slow));
  }
  return {typical, mean};
}

void decide(const PairedSamples& samples, const VerdictRule& rule, const ArmsEstimate& estimate,
            std::size_t tests, TestResult& test) {
  const double margin = std::log1p(samples.margin);
  const stats::Interval& interval = estimate.typical.interval;
  const bool rejected = is_rejected(test, rule.q);
  const bool worse = rejected && interval.low > margin;
  const bool better = rejected && interval.high < -margin;
  const bool sequential = rule.design == Design::kSequential;
  if (worse || better) {
    test.verdict = sequential ? Verdict::kSuspect
                   : worse    ? Verdict::kRegression
                              : Verdict::kImprovement;
    return;
  }
  const bool typical_is_ok = within(interval, margin);
  if (typical_is_ok && within(estimate.mean.interval, margin)) {
    test.verdict = Verdict::kOk;
    test.slow_share_below =
        stats::largest_share(test.slow_candidate, test.candidate_launches, kSlowConfidence);
    return;
  }
  test.verdict = Verdict::kInconclusive;
  if (!std::isfinite(interval.low)) {
    test.reason = TestReason::kTooFewPairs;
  } else if (beyond(interval, margin)) {
    test.reason = TestReason::kNotRejectedAfterCorrection;
  } else if (typical_is_ok) {
    test.reason = TestReason::kMeanCost;
  } else if (rejected) {
    test.reason = TestReason::kBelowMargin;
  } else {
    test.reason = TestReason::kWideInterval;
  }
  std::size_t least = std::max(kMinLaunchesToJudge, test.pairs + 1);
  if (test.reason == TestReason::kNotRejectedAfterCorrection) {
    least = std::max(least, pairs_to_reject(tests, rule));
  }
  const Shift& undecided = typical_is_ok ? estimate.mean : estimate.typical;
  test.pairs_needed =
      std::max(stats::pairs_needed(undecided.centre, undecided.spread, margin), least);
}

// Bias-corrected effect size of a paired claim, given that it was claimed. `level`: the largest p
// that the correction rejects.
std::optional<double> corrected(const PairedSamples& samples, const Shift& typical, double level) {
  const double margin = std::log1p(samples.margin);
  const double side = typical.centre > 0 ? 1 : -1;
  Estimate claim = typical.paired;
  claim.value = std::abs(claim.value);
  const stats::Interval& seen = typical.interval;
  const double reach = side > 0 ? typical.centre - seen.low : seen.high - typical.centre;
  const double rejected = claim.value - verdict::interval(claim, level / 2).low;
  const double bound = std::max(margin + reach, rejected);
  const double size = side * verdict::claimed_size(claim, bound, margin);
  if (std::abs(size) >= kNoPercentage) return std::nullopt;
  return std::expm1(sign_of(samples.direction) * size);
}

// Number of launches per side of a balanced design whose smallest possible p-value is that of this
// test, whose sides may be unequal.
std::size_t balanced(const TestResult& test, Design design) {
  if (design == Design::kInterleaved || test.pairs < kMinLaunchesToJudge) return test.pairs;
  const double least = stats::log_least_mann_whitney_p(test.base_launches, test.candidate_launches);
  std::size_t launches = test.pairs;
  while (stats::log_least_mann_whitney_p(launches + 1, launches + 1) >= least) ++launches;
  return launches;
}

}  // namespace

bool is_rejected(const TestResult& test, double q) {
  const bool unbounded = test.interval.low <= -1 && test.interval.high == kUnbounded;
  return test.p_adjusted <= q && !unbounded;
}

std::size_t pairs_to_reject(std::size_t tests, const VerdictRule& rule) {
  const double level = rule.q / static_cast<double>(tests);
  if (rule.design == Design::kInterleaved) {
    return static_cast<std::size_t>(std::ceil(1 - std::log2(level)));
  }
  std::size_t launches = kMinLaunchesToJudge;
  while (stats::log_least_mann_whitney_p(launches, launches) > std::log(level)) ++launches;
  return launches;
}

std::string too_few_to_prove(std::size_t pairs, std::size_t tests, const VerdictRule& rule) {
  const std::size_t needed = tests == 0 ? 0 : pairs_to_reject(tests, rule);
  if (pairs >= needed) return {};
  const std::string_view unit = rule.design == Design::kSequential ? "launch" : "pair";
  return formatted("{}{} too few to prove any single change among {}: use {} or more",
                   text::counted(static_cast<std::int64_t>(pairs), unit),
                   pairs == 1 ? " is" : " are",
                   text::counted(static_cast<std::int64_t>(tests), "test"), needed);
}

bool constant(std::span<const double> values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

TestFamily judge(std::span<const PairedSamples> all_samples, const VerdictRule& rule) {
  TestFamily family;
  family.tests.resize(all_samples.size());
  std::vector<ArmsEstimate> estimates(all_samples.size());
  std::vector<double> p_values(all_samples.size(), kNotANumber);
  std::size_t fewest_pairs = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < all_samples.size(); ++i) {
    const PairedSamples& samples = all_samples[i];
    TestResult& test = family.tests[i];
    const UsableSamples usable = usable_samples(samples, rule.design);
    test.base_launches = usable.base.size();
    test.candidate_launches = usable.candidate.size();
    test.pairs = std::min(usable.base.size(), usable.candidate.size());
    test.dropped = usable.dropped;
    test.base_median = stats::median(usable.all_base);
    test.candidate_median = stats::median(usable.all_candidate);
    test.p = test.p_adjusted = test.p_mann_whitney = test.cles = kNotANumber;
    const std::size_t values = rule.design == Design::kSequential
                                   ? test.base_launches + test.candidate_launches
                                   : test.pairs;
    const double all = static_cast<double>(values + test.dropped);
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
    fewest_pairs = std::min(fewest_pairs, balanced(test, rule.design));
  }

  const stats::FalseDiscovery correction = stats::benjamini_hochberg(p_values);
  family.tested = correction.family;
  for (std::size_t i = 0; i < all_samples.size(); ++i) {
    if (std::isnan(p_values[i])) continue;
    TestResult& test = family.tests[i];
    test.p_adjusted = correction.adjusted[i];
    decide(all_samples[i], rule, estimates[i], family.tested, test);
    if (is_rejected(test, rule.q)) {
      ++(test.slower ? family.rejected_slower : family.rejected_faster);
    }
  }
  const auto rejected = static_cast<double>(family.rejected_slower + family.rejected_faster);
  for (std::size_t i = 0; i < all_samples.size(); ++i) {
    TestResult& test = family.tests[i];
    if (std::isnan(p_values[i]) || rule.design == Design::kSequential || !is_claim(test.verdict)) {
      continue;
    }
    const double level = rule.q * rejected / static_cast<double>(family.tested);
    test.corrected_change = corrected(all_samples[i], estimates[i].typical, level);
  }
  if (family.tested > 0) family.fewest_pairs = fewest_pairs;
  return family;
}

std::string_view describe(TestReason reason) {
  constexpr EnumNames<11> kWords = {"",
                                    "too few pairs",
                                    "may be chance",
                                    "perhaps within the margin",
                                    "the mean may be beyond the margin",
                                    "",
                                    "a count that varies between launches",
                                    "counted exactly",
                                    "no pair was measured",
                                    "no pair has a usable value",
                                    "too many pairs lack a value"};
  return kWords.at(static_cast<std::size_t>(reason));
}

}  // namespace stepbench::verdict
