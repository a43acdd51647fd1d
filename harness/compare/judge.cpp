// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/judge.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "harness/compare/usable_pairs.h"
#include "harness/stats/benjamini_hochberg.h"
#include "harness/stats/bootstrap.h"
#include "harness/stats/effect_size.h"
#include "harness/stats/order.h"
#include "harness/stats/rank_tests.h"

namespace stepbench {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kManyTies = 0.2;

// Beside the judgement, in log ratios with the sign that makes larger worse.
struct Estimate {
  double centre = 0;
  Interval interval;
  double spread = 0;
};

double sign_of(Direction direction) { return direction == Direction::kHigherIsBetter ? -1 : 1; }

// From "log ratio, larger is worse" to the relative change of the raw metric.
Interval raw_change(Interval log_ratio, double sign) {
  Interval change{std::expm1(sign * log_ratio.low), std::expm1(sign * log_ratio.high)};
  if (sign < 0) std::swap(change.low, change.high);
  return change;
}

bool within(const Interval& interval, double margin) {
  return -margin <= interval.low && interval.high <= margin;
}

bool beyond(const Interval& interval, double margin) {
  return interval.low > margin || interval.high < -margin;
}

double standard_deviation(std::span<const double> values) {
  double mean = 0;
  for (const double value : values) mean += value;
  mean /= static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return values.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// Counts that do not vary inside an arm: no statistics. Those that vary are no counts of the
// program alone, and there is no verdict on them.
void judge_exactly(const Question& question, Design design, const UsablePairs& usable,
                   Judgement& judgement) {
  judgement.p = kNotANumber;
  judgement.p_adjusted = kNotANumber;
  judgement.p_mann_whitney = kNotANumber;
  if (!constant(usable.base) || !constant(usable.candidate)) {
    const auto [low, high] = std::minmax_element(usable.base.begin(), usable.base.end());
    const auto [new_low, new_high] =
        std::minmax_element(usable.candidate.begin(), usable.candidate.end());
    judgement.notes.push_back("exact distribution expected, but values range from " +
                              to_text(Value{std::min(*low, *new_low)}) + " to " +
                              to_text(Value{std::max(*high, *new_high)}));
    judgement.verdict = Verdict::kInconclusive;
    judgement.reason = "count_varies";
    return;
  }
  const double a = usable.base.front();
  const double b = usable.candidate.front();
  judgement.slower = sign_of(question.direction) * (b - a) > 0;
  if (a != 0) judgement.change = b / a - 1;
  if (a == b) judgement.change = 0;
  judgement.interval = {judgement.change.value_or(kNotANumber),
                        judgement.change.value_or(kNotANumber)};
  judgement.sign_interval = judgement.interval;
  judgement.cles = a == b ? 0.5 : judgement.slower ? 1 : 0;
  judgement.reason = "exact";
  if (a == b) {
    judgement.verdict = Verdict::kOk;
  } else if (design == Design::kSequential) {
    judgement.verdict = Verdict::kSuspect;
  } else {
    judgement.verdict = judgement.slower ? Verdict::kRegression : Verdict::kImprovement;
  }
}

Estimate estimate(const Question& question, const VerdictRule& rule, const UsablePairs& usable,
                  Judgement& judgement) {
  const double sign = sign_of(question.direction);
  std::vector<double> differences(usable.base.size());
  for (std::size_t i = 0; i < differences.size(); ++i) {
    differences[i] = sign * std::log(usable.candidate[i] / usable.base[i]);
  }
  const HodgesLehmann hodges_lehmann_estimate = hodges_lehmann(differences, rule.confidence);
  const SignedRank test = signed_rank(differences);
  const Interval sign_test = sign_interval(differences, rule.confidence);
  Estimate result{hodges_lehmann_estimate.centre, hodges_lehmann_estimate.interval,
                  robust_sd(differences)};
  if (result.spread == 0) result.spread = standard_deviation(differences);

  judgement.ties = test.zeros;
  judgement.slower = result.centre > 0;
  judgement.change = std::expm1(sign * result.centre);
  judgement.interval = raw_change(result.interval, sign);
  judgement.sign_interval = raw_change(sign_test, sign);
  judgement.p = test.p_two_sided;
  judgement.p_mann_whitney = mann_whitney(usable.all_base, usable.all_candidate).p_two_sided;
  judgement.cles = paired_cles(differences);
  if (rule.bootstrap) {
    judgement.bootstrap =
        bootstrap_ratio_of_medians(usable.all_base, usable.all_candidate, rule.confidence);
  }
  const double margin = std::log1p(question.margin);
  if (beyond(sign_test, margin) != beyond(result.interval, margin)) {
    judgement.notes.emplace_back("skewed");
  }
  const auto n = static_cast<double>(differences.size());
  if (static_cast<double>(test.zeros) > kManyTies * n && test.zeros < differences.size()) {
    judgement.notes.emplace_back("clock_resolution");
  }
  if (constant(differences) && differences.front() != 0) {
    judgement.notes.emplace_back("zero_variance");
  }
  return result;
}

// With n pairs no p is below 2^(1-n): so many are needed before one of `tests` can be rejected
// alone.
std::size_t pairs_to_reject(std::size_t tests, double q) {
  return static_cast<std::size_t>(std::ceil(1 + std::log2(static_cast<double>(tests) / q)));
}

void decide(const Question& question, const VerdictRule& rule, const Estimate& estimate,
            std::size_t tests, Judgement& judgement) {
  const double margin = std::log1p(question.margin);
  const Interval& interval = estimate.interval;
  const bool rejected = judgement.p_adjusted <= rule.q;
  const bool worse = rejected && interval.low > margin;
  const bool better = rejected && interval.high < -margin;
  const bool sequential = rule.design == Design::kSequential;
  if (worse || better) {
    judgement.verdict = sequential ? Verdict::kSuspect
                        : worse    ? Verdict::kRegression
                                   : Verdict::kImprovement;
    return;
  }
  if (within(interval, margin)) {
    judgement.verdict = Verdict::kOk;
    return;
  }
  judgement.verdict = Verdict::kInconclusive;
  if (walsh_rank(judgement.pairs, 1 - rule.confidence) == 0) {
    judgement.reason = "too_few_pairs";
  } else if (beyond(interval, margin)) {
    judgement.reason = "not_rejected_after_correction";
  } else if (rejected) {
    judgement.reason = "below_margin";
  } else {
    judgement.reason = "wide_interval";
  }
  std::size_t least = 6;
  if (judgement.reason == "not_rejected_after_correction") {
    least = std::max(judgement.pairs + 1, pairs_to_reject(tests, rule.q));
  }
  judgement.pairs_needed = std::max(pairs_needed(estimate.centre, estimate.spread, margin), least);
}

}  // namespace

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

Family judge(std::span<const Question> questions, const VerdictRule& rule) {
  Family family;
  family.judgements.resize(questions.size());
  std::vector<Estimate> estimates(questions.size());
  std::vector<double> p_values(questions.size(), kNotANumber);
  std::size_t fewest_pairs = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const Question& question = questions[i];
    Judgement& judgement = family.judgements[i];
    const UsablePairs usable = usable_pairs(question);
    judgement.pairs = usable.base.size();
    judgement.dropped = usable.dropped;
    judgement.base_median = median(usable.all_base);
    judgement.candidate_median = median(usable.all_candidate);
    judgement.p = judgement.p_adjusted = judgement.p_mann_whitney = judgement.cles = kNotANumber;
    const double all = static_cast<double>(judgement.pairs + judgement.dropped);
    if (judgement.pairs == 0) {
      judgement.reason = judgement.dropped > 0 ? "no_usable_values" : "no_pairs";
      continue;
    }
    if (static_cast<double>(judgement.dropped) > kMostDropped * all) {
      judgement.reason = "too_many_dropped";
      continue;
    }
    if (question.exact) {
      judge_exactly(question, rule.design, usable, judgement);
      continue;
    }
    estimates[i] = estimate(question, rule, usable, judgement);
    judgement.verdict = Verdict::kInconclusive;
    p_values[i] = judgement.p;
    fewest_pairs = std::min(fewest_pairs, judgement.pairs);
  }

  const FalseDiscovery correction = benjamini_hochberg(p_values);
  family.tested = correction.family;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (std::isnan(p_values[i])) continue;
    Judgement& judgement = family.judgements[i];
    judgement.p_adjusted = correction.adjusted[i];
    decide(questions[i], rule, estimates[i], family.tested, judgement);
    if (judgement.p_adjusted <= rule.q) {
      ++(judgement.slower ? family.rejected_slower : family.rejected_faster);
    }
  }
  family.cannot_reject_alone =
      family.tested > 0 &&
      std::ldexp(1.0, 1 - static_cast<int>(std::min<std::size_t>(fewest_pairs, 1000))) >
          rule.q / static_cast<double>(family.tested);
  return family;
}

}  // namespace stepbench
