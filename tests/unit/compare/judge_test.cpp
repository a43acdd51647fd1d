// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace stepbench {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A ripple of up to +-0.4 %, another one in each arm.
std::vector<double> arm(std::size_t n, double level, unsigned phase) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = level * (1 + 0.001 * (static_cast<double>((i * 7 + phase * 5) % 9) - 4));
  }
  return values;
}

Question question(std::size_t n, double change) {
  return {.base = arm(n, 1e6, 0), .candidate = arm(n, 1e6 * (1 + change), 1)};
}

Judgement judged(const Question& one, const VerdictRule& rule = {}) {
  return judge(std::vector{one}, rule).judgements.at(0);
}

TEST(Judge, ASlowDownBeyondTheMarginIsARegression) {
  const Judgement result = judged(question(20, 0.05));
  EXPECT_EQ(result.verdict, Verdict::kRegression);
  EXPECT_TRUE(result.slower);
  EXPECT_NEAR(result.change.value(), 0.05, 0.003);
  EXPECT_LE(result.interval.low, result.change);
  EXPECT_GE(result.interval.high, result.change);
  EXPECT_EQ(result.pairs, 20u);
  EXPECT_EQ(result.cles, 1);
  EXPECT_LT(result.p_mann_whitney, 1e-6);
}

TEST(Judge, ASpeedUpBeyondTheMarginIsAnImprovement) {
  const Judgement result = judged(question(20, -0.05));
  EXPECT_EQ(result.verdict, Verdict::kImprovement);
  EXPECT_FALSE(result.slower);
  EXPECT_NEAR(result.change.value(), -0.05, 0.003);
}

TEST(Judge, HigherIsBetterTurnsTheVerdictButNotThePrintedChange) {
  Question throughput = question(20, 0.05);
  throughput.direction = Direction::kHigherIsBetter;
  const Judgement result = judged(throughput);
  EXPECT_EQ(result.verdict, Verdict::kImprovement);
  EXPECT_NEAR(result.change.value(), 0.05, 0.003);
  EXPECT_LE(result.interval.low, result.change);
  EXPECT_GE(result.interval.high, result.change);
}

TEST(Judge, SwappedArmsGiveTheMirroredVerdict) {
  Question forward = question(20, 0.05);
  Question backward{.base = forward.candidate, .candidate = forward.base};
  const Judgement there = judged(forward);
  const Judgement back = judged(backward);
  EXPECT_EQ(back.verdict, Verdict::kImprovement);
  EXPECT_DOUBLE_EQ(there.p, back.p);
  EXPECT_NEAR((1 + *there.change) * (1 + *back.change), 1, 1e-12);
  EXPECT_NEAR((1 + there.interval.low) * (1 + back.interval.high), 1, 1e-12);
}

TEST(Judge, AnotherUnitGivesTheSameVerdict) {
  const Question in_ns = question(12, 0.013);
  Question in_ms = in_ns;
  for (double& value : in_ms.base) value /= 1048576;
  for (double& value : in_ms.candidate) value /= 1048576;
  EXPECT_EQ(judged(in_ns).verdict, judged(in_ms).verdict);
  EXPECT_EQ(judged(in_ns).p, judged(in_ms).p);
  EXPECT_EQ(judged(in_ns).change, judged(in_ms).change);
}

TEST(Judge, OkMeansShownToLieWithinTheMargin) {
  const Judgement result = judged(question(20, 0.001));
  EXPECT_EQ(result.verdict, Verdict::kOk);
  EXPECT_FALSE(result.pairs_needed.has_value());
}

TEST(Judge, ASequentialDesignSaysAtMostSuspect) {
  const VerdictRule sequential{.design = Design::kSequential};
  EXPECT_EQ(judged(question(20, 0.05), sequential).verdict, Verdict::kSuspect);
  EXPECT_TRUE(judged(question(20, 0.05), sequential).slower);
  EXPECT_EQ(judged(question(20, -0.05), sequential).verdict, Verdict::kSuspect);
  EXPECT_FALSE(judged(question(20, -0.05), sequential).slower);
  EXPECT_EQ(judged(question(20, 0), sequential).verdict, Verdict::kOk);
}

TEST(Judge, FewerThanSixPairsAreTooFew) {
  for (std::size_t n = 1; n < 6; ++n) {
    const Judgement result = judged(question(n, 0.5));
    EXPECT_EQ(result.verdict, Verdict::kInconclusive) << n;
    EXPECT_EQ(result.reason, "too_few_pairs") << n;
    EXPECT_EQ(result.interval.low, -1) << n;
    EXPECT_TRUE(std::isinf(result.interval.high)) << n;
  }
  EXPECT_EQ(judged(question(6, 0.5)).verdict, Verdict::kRegression);
}

TEST(Judge, SaysHowManyPairsWouldDecide) {
  Question wide{.base = {100, 104, 98, 103, 97, 101, 99, 105},
                .candidate = {101, 99, 104, 98, 102, 97, 104, 100}};
  const Judgement result = judged(wide);
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
  EXPECT_EQ(result.reason, "wide_interval");
  EXPECT_GT(result.pairs_needed.value(), 8u);
}

TEST(Judge, AnEffectBelowTheMarginIsNoRegression) {
  const Judgement result = judged(question(20, 0.0105));
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
  EXPECT_EQ(result.reason, "below_margin");
}

TEST(Judge, ManyTestsNeedAStrongerSign) {
  std::vector<Question> family(100, question(6, 0));
  family[0] = question(6, 0.05);
  const Family result = judge(family, {});
  EXPECT_EQ(result.tested, 100u);
  EXPECT_TRUE(result.cannot_reject_alone);
  EXPECT_EQ(result.judgements[0].verdict, Verdict::kInconclusive);
  EXPECT_EQ(result.judgements[0].reason, "not_rejected_after_correction");
  family[0] = question(20, 0.05);
  EXPECT_EQ(judge(family, {}).judgements[0].verdict, Verdict::kRegression);
  EXPECT_EQ(judge(family, {}).rejected_slower, 1u);
}

TEST(Judge, AChangeThatTooFewPairsCannotShowNeedsMoreOfThem) {
  const std::vector<double> base = {100, 101, 99, 100.5, 99.5, 100.2};
  std::vector<double> slow = base;
  for (double& value : slow) value *= 1.1;
  const Question same{.base = base, .candidate = base};
  const Family two = judge(std::vector{Question{.base = base, .candidate = slow}, same}, {});
  EXPECT_EQ(two.judgements[0].reason, "not_rejected_after_correction");
  EXPECT_EQ(two.judgements[0].pairs_needed, 7U) << "2^-6 is below .05 / 2";
  std::vector<Question> hundred(100, same);
  hundred[0].candidate = slow;
  EXPECT_EQ(judge(hundred, {}).judgements[0].pairs_needed, 12U);
}

TEST(Judge, NoDataIsAVerdict) {
  EXPECT_EQ(judged({}).verdict, Verdict::kNoData);
  EXPECT_EQ(judged({}).reason, "no_pairs");
  Question bad = question(8, 0);
  for (double& value : bad.base) value = kNan;
  EXPECT_EQ(judged(bad).verdict, Verdict::kNoData);
  EXPECT_EQ(judged(bad).reason, "no_usable_values");
  EXPECT_EQ(judged(bad).dropped, 8u);
}

TEST(Judge, ABadValueDropsItsPair) {
  for (const double bad_value : {kNan, std::numeric_limits<double>::infinity(), 0.0, -1.0}) {
    Question one = question(20, 0.05);
    one.candidate[3] = bad_value;
    const Judgement result = judged(one);
    EXPECT_EQ(result.verdict, Verdict::kRegression) << bad_value;
    EXPECT_EQ(result.pairs, 19u);
    EXPECT_EQ(result.dropped, 1u);
    one.candidate[4] = one.candidate[5] = bad_value;
    EXPECT_EQ(judged(one).verdict, Verdict::kNoData) << "more than a tenth";
    EXPECT_EQ(judged(one).reason, "too_many_dropped");
  }
}

TEST(Judge, AllEqualValuesAreOk) {
  const Judgement result =
      judged({.base = std::vector(10, 5.0), .candidate = std::vector(10, 5.0)});
  EXPECT_EQ(result.verdict, Verdict::kOk);
  EXPECT_EQ(result.p, 1);
  EXPECT_EQ(result.change, 0);
  EXPECT_EQ(result.ties, 10u);
}

TEST(Judge, ZeroVarianceDecidesNormallyWithANote) {
  const Judgement result =
      judged({.base = std::vector(10, 5.0), .candidate = std::vector(10, 6.0)});
  EXPECT_EQ(result.verdict, Verdict::kRegression);
  EXPECT_DOUBLE_EQ(result.p, std::ldexp(1.0, -9));
  EXPECT_THAT(result.notes, Contains("zero_variance"));
}

TEST(Judge, ManyTiedPairsPointAtTheClock) {
  Question coarse{.base = {4, 4, 4, 5, 5, 4, 4, 5}, .candidate = {4, 5, 4, 5, 4, 4, 5, 5}};
  EXPECT_THAT(judged(coarse).notes, Contains("clock_resolution"));
  EXPECT_THAT(judged(question(20, 0.05)).notes, IsEmpty());
}

TEST(Judge, CountsAreComparedExactly) {
  const auto counts = [](double a, double b) {
    return Question{.base = {a, a}, .candidate = {b, b}, .exact = true};
  };
  EXPECT_EQ(judged(counts(120, 120)).verdict, Verdict::kOk);
  EXPECT_EQ(judged(counts(0, 0)).verdict, Verdict::kOk);
  EXPECT_EQ(judged(counts(120, 121)).verdict, Verdict::kRegression);
  EXPECT_EQ(judged(counts(120, 119)).verdict, Verdict::kImprovement);
  EXPECT_EQ(judged(counts(120, 121), {.design = Design::kSequential}).verdict, Verdict::kSuspect);
  EXPECT_TRUE(std::isnan(judged(counts(120, 121)).p));
  EXPECT_EQ(judge(std::vector{counts(1, 2)}, {}).tested, 0u);
}

TEST(Judge, AChangeFromZeroHasNoPercentage) {
  const Judgement result = judged({.base = {0, 0}, .candidate = {3, 3}, .exact = true});
  EXPECT_EQ(result.verdict, Verdict::kRegression);
  EXPECT_FALSE(result.change.has_value());
}

TEST(Judge, CountsThatVaryAreNeverTested) {
  const Question varying{.base = {100, 101, 101, 100, 101, 100, 100, 101},
                         .candidate = {201, 200, 201, 201, 200, 201, 200, 201},
                         .exact = true};
  const Question reaches_zero{
      .base = {0, 1, 0, 2, 0, 1}, .candidate = {0, 0, 1, 0, 2, 0}, .exact = true};
  for (const Question& question : {varying, reaches_zero}) {
    const Judgement result = judged(question);
    EXPECT_EQ(result.verdict, Verdict::kInconclusive);
    EXPECT_EQ(result.reason, "count_varies");
    EXPECT_TRUE(std::isnan(result.p));
  }
}

TEST(Judge, SurplusLaunchesCountInTheUnpairedFiguresOnly) {
  Question uneven = question(10, 0.05);
  uneven.candidate.resize(7);
  const Judgement result = judged(uneven);
  EXPECT_EQ(result.pairs, 7u);
  EXPECT_EQ(result.dropped, 0u);
  EXPECT_GT(result.base_median, 0);
}

TEST(Judge, SameInputGivesTheSameBits) {
  const std::vector<Question> family{question(20, 0.01), question(20, 0.02)};
  const Family first = judge(family, {.bootstrap = true});
  const Family again = judge(family, {.bootstrap = true});
  for (std::size_t i = 0; i < family.size(); ++i) {
    EXPECT_EQ(first.judgements[i].p, again.judgements[i].p);
    EXPECT_EQ(first.judgements[i].change, again.judgements[i].change);
    EXPECT_EQ(first.judgements[i].bootstrap->low, again.judgements[i].bootstrap->low);
    EXPECT_EQ(first.judgements[i].bootstrap->high, again.judgements[i].bootstrap->high);
  }
}

TEST(Judge, ALookIsStricterThanAFixedNumberOfPairs) {
  EXPECT_EQ(judged(question(6, 0.5), rule_of_a_look()).reason, "too_few_pairs");
  EXPECT_EQ(judged(question(10, 0.05), rule_of_a_look()).verdict, Verdict::kRegression);
}

}  // namespace
}  // namespace stepbench
