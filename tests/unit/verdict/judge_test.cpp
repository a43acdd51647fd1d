// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/internal/judge.h"
#include "harness/verdict/comparison.h"
#include "tests/testing.h"

namespace stepbench::verdict {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A ripple of up to +-0.4 %, different in each arm.
std::vector<double> arm(std::size_t n, double level, unsigned phase) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = level * (1 + 0.001 * (static_cast<double>((i * 7 + phase * 5) % 9) - 4));
  }
  return values;
}

PairedSamples samples(std::size_t n, double change) {
  return {.base = arm(n, 1e6, 0), .candidate = arm(n, 1e6 * (1 + change), 1)};
}

TestResult judged(const PairedSamples& one, const VerdictRule& rule = {}) {
  return judge(std::vector{one}, rule).tests.at(0);
}

TEST(Judge, SlowdownBeyondMargin_IsARegression) {
  const TestResult result = judged(samples(20, 0.05));
  EXPECT_EQ(result.verdict, Verdict::kRegression);
  EXPECT_TRUE(result.slower);
  EXPECT_NEAR(result.change.value(), 0.05, 0.003);
  EXPECT_LE(result.interval.low, result.change);
  EXPECT_GE(result.interval.high, result.change);
  EXPECT_EQ(result.pairs, 20u);
  EXPECT_EQ(result.cles, 1);
  EXPECT_LT(result.p_mann_whitney, 1e-6);
}

TEST(Judge, ManyLaunches_AreJudged) {
  for (const std::size_t n : {540U, 541U, 100'000U}) {
    const VerdictRule rule{.design = Design::kSequential};
    const TestResult result = judged(samples(n, 0.05), rule);
    EXPECT_EQ(result.verdict, Verdict::kSuspect) << n;
    EXPECT_NEAR(result.change.value(), 0.05, 0.001) << n;
  }
}

TEST(Judge, OtherDirectionOrArm_TurnsTheVerdict) {
  const TestResult faster = judged(samples(20, -0.05));
  EXPECT_EQ(faster.verdict, Verdict::kImprovement);
  EXPECT_FALSE(faster.slower);
  EXPECT_NEAR(faster.change.value(), -0.05, 0.003);
  PairedSamples throughput = samples(20, 0.05);
  throughput.direction = Direction::kHigherIsBetter;
  const TestResult more = judged(throughput);
  EXPECT_EQ(more.verdict, Verdict::kImprovement);
  EXPECT_NEAR(more.change.value(), 0.05, 0.003) << "the printed change is not turned";
  EXPECT_LE(more.interval.low, more.change);
  EXPECT_GE(more.interval.high, more.change);
  const PairedSamples forward = samples(20, 0.05);
  const TestResult there = judged(forward);
  const TestResult back = judged({.base = forward.candidate, .candidate = forward.base});
  EXPECT_EQ(back.verdict, Verdict::kImprovement);
  EXPECT_DOUBLE_EQ(there.p, back.p);
  EXPECT_NEAR((1 + *there.change) * (1 + *back.change), 1, 1e-12);
  EXPECT_NEAR((1 + there.interval.low) * (1 + back.interval.high), 1, 1e-12);
}

TEST(Judge, OtherUnit_GivesTheSameVerdict) {
  const PairedSamples in_ns = samples(12, 0.013);
  PairedSamples in_ms = in_ns;
  for (double& value : in_ms.base) value /= 1048576;
  for (double& value : in_ms.candidate) value /= 1048576;
  EXPECT_EQ(judged(in_ns).verdict, judged(in_ms).verdict);
  EXPECT_EQ(judged(in_ns).p, judged(in_ms).p);
  EXPECT_EQ(judged(in_ns).change, judged(in_ms).change);
}

TEST(Judge, SequentialDesign_IsSuspectAtMost) {
  EXPECT_EQ(judged(samples(20, 0.001)).verdict, Verdict::kOk) << "shown to lie within the margin";
  const VerdictRule sequential{.design = Design::kSequential};
  EXPECT_EQ(judged(samples(20, 0.05), sequential).verdict, Verdict::kSuspect);
  EXPECT_TRUE(judged(samples(20, 0.05), sequential).slower);
  EXPECT_EQ(judged(samples(20, -0.05), sequential).verdict, Verdict::kSuspect);
  EXPECT_FALSE(judged(samples(20, -0.05), sequential).slower);
  EXPECT_EQ(judged(samples(20, 0), sequential).verdict, Verdict::kOk);
}

TEST(Judge, UnderSixPairs_AreTooFew) {
  for (std::size_t n = 1; n < 6; ++n) {
    const TestResult result = judged(samples(n, 0.5));
    EXPECT_EQ(result.verdict, Verdict::kInconclusive) << n;
    EXPECT_EQ(result.reason, TestReason::kTooFewPairs) << n;
    EXPECT_EQ(result.interval.low, -1) << n;
    EXPECT_TRUE(std::isinf(result.interval.high)) << n;
  }
  EXPECT_EQ(judged(samples(6, 0.5)).verdict, Verdict::kRegression);
}

TEST(Judge, Undecided_EstimatesThePairsNeeded) {
  PairedSamples wide{.base = {100, 104, 98, 103, 97, 101, 99, 105},
                     .candidate = {101, 99, 104, 98, 102, 97, 104, 100}};
  EXPECT_EQ(judged(wide).verdict, Verdict::kInconclusive);
  EXPECT_EQ(judged(wide).reason, TestReason::kWideInterval);
  EXPECT_GT(judged(wide).pairs_needed.value(), 8u);
  const TestResult small = judged(samples(20, 0.0105));
  EXPECT_EQ(small.verdict, Verdict::kInconclusive);
  EXPECT_EQ(small.reason, TestReason::kBelowMargin);
}

TEST(Judge, ManyTests_EstimateThePairsNeeded) {
  EXPECT_EQ(too_few_to_prove(6, 2, {}),
            "6 pairs are too few to prove any single change among 2 tests: use 7 or more");
  EXPECT_EQ(too_few_to_prove(8, 6, {}), "") << "three cases";
  EXPECT_EQ(too_few_to_prove(1, 1, {}),
            "1 pair is too few to prove any single change among 1 test: use 6 or more");
  EXPECT_EQ(too_few_to_prove(0, 0, {}), "") << "nothing was tested";
  // 2 / C(2n, n): .05 / 1.55e-4 tests with eight launches per side, 85 with seven.
  const VerdictRule unpaired{.design = Design::kSequential};
  EXPECT_EQ(too_few_to_prove(8, 321, unpaired), "");
  EXPECT_EQ(too_few_to_prove(8, 322, unpaired),
            "8 launches are too few to prove any single change among 322 tests: use 9 or more");
  EXPECT_EQ(too_few_to_prove(7, 85, unpaired), "");
  EXPECT_EQ(pairs_to_reject(86, unpaired), 8U);
  EXPECT_EQ(pairs_to_reject(1, unpaired), 6U) << "as few as have a verdict in any design";
}

TEST(Judge, ManyTests_NeedAStrongerEffect) {
  std::vector<PairedSamples> family(100, samples(6, 0));
  family[0] = samples(6, 0.05);
  const TestFamily result = judge(family, {});
  EXPECT_EQ(result.tested, 100u);
  EXPECT_EQ(too_few_to_prove(result.fewest_pairs, result.tested, {}),
            "6 pairs are too few to prove any single change among 100 tests: use 12 or more");
  EXPECT_EQ(result.tests[0].verdict, Verdict::kInconclusive);
  EXPECT_EQ(result.tests[0].reason, TestReason::kNotRejectedAfterCorrection);
  family[0] = samples(20, 0.05);
  EXPECT_EQ(judge(family, {}).tests[0].verdict, Verdict::kRegression);
  EXPECT_EQ(judge(family, {}).rejected_slower, 1u);
}

TEST(Judge, TooFewPairs_EstimateMore) {
  const std::vector<double> base = {100, 101, 99, 100.5, 99.5, 100.2};
  std::vector<double> slow = base;
  for (double& value : slow) value *= 1.1;
  const PairedSamples same{.base = base, .candidate = base};
  const TestFamily two =
      judge(std::vector{PairedSamples{.base = base, .candidate = slow}, same}, {});
  EXPECT_EQ(two.tests[0].reason, TestReason::kNotRejectedAfterCorrection);
  EXPECT_EQ(two.tests[0].pairs_needed, 7U) << "2^-6 is below .05 / 2";
  std::vector<PairedSamples> hundred(100, same);
  hundred[0].candidate = slow;
  EXPECT_EQ(judge(hundred, {}).tests[0].pairs_needed, 12U);
}

TEST(Judge, NoData_IsAVerdict) {
  EXPECT_EQ(judged({}).verdict, Verdict::kNoData);
  EXPECT_EQ(judged({}).reason, TestReason::kNoPairs);
  PairedSamples bad = samples(8, 0);
  for (double& value : bad.base) value = kNan;
  EXPECT_EQ(judged(bad).verdict, Verdict::kNoData);
  EXPECT_EQ(judged(bad).reason, TestReason::kNoUsableValues);
  EXPECT_EQ(judged(bad).dropped, 8u);
}

TEST(Judge, BadValue_DropsItsPair) {
  for (const double bad_value : {kNan, std::numeric_limits<double>::infinity(), 0.0, -1.0}) {
    PairedSamples one = samples(20, 0.05);
    one.candidate[3] = bad_value;
    const TestResult result = judged(one);
    EXPECT_EQ(result.verdict, Verdict::kRegression) << bad_value;
    EXPECT_EQ(result.pairs, 19u);
    EXPECT_EQ(result.dropped, 1u);
    one.candidate[4] = one.candidate[5] = bad_value;
    EXPECT_EQ(judged(one).verdict, Verdict::kNoData) << "more than a tenth";
    EXPECT_EQ(judged(one).reason, TestReason::kTooManyDropped);
  }
}

TEST(Judge, EqualOrTiedValues_HaveANote) {
  const auto constant = [](std::size_t pairs, double base, double candidate) {
    return judged({.base = std::vector(pairs, base), .candidate = std::vector(pairs, candidate)});
  };
  const TestResult equal = constant(10, 5, 5);
  EXPECT_EQ(equal.verdict, Verdict::kOk);
  EXPECT_EQ(equal.p, 1);
  EXPECT_EQ(equal.change, 0);
  EXPECT_EQ(equal.ties, 10u);
  const TestResult slower = constant(10, 5, 6);
  EXPECT_EQ(slower.verdict, Verdict::kRegression);
  EXPECT_DOUBLE_EQ(slower.p, std::ldexp(1.0, -9));
  EXPECT_THAT(slower.notes, Contains("zero_variance"));
  EXPECT_THAT(constant(1, 5, 6).notes, Not(Contains("zero_variance")));
  PairedSamples coarse{.base = {4, 4, 4, 5, 5, 4, 4, 5}, .candidate = {4, 5, 4, 5, 4, 4, 5, 5}};
  EXPECT_THAT(judged(coarse).notes, Contains("clock_resolution"));
  EXPECT_THAT(judged(samples(20, 0.05)).notes, IsEmpty());
}

TEST(Judge, Counts_AreComparedExactly) {
  const auto counts = [](double a, double b) {
    return PairedSamples{.base = {a, a}, .candidate = {b, b}, .exact = true};
  };
  EXPECT_EQ(judged(counts(120, 120)).verdict, Verdict::kOk);
  EXPECT_EQ(judged(counts(0, 0)).verdict, Verdict::kOk);
  EXPECT_EQ(judged(counts(120, 121)).verdict, Verdict::kRegression);
  EXPECT_EQ(judged(counts(120, 119)).verdict, Verdict::kImprovement);
  EXPECT_EQ(judged(counts(120, 121), {.design = Design::kSequential}).verdict, Verdict::kSuspect);
  EXPECT_TRUE(std::isnan(judged(counts(120, 121)).p));
  EXPECT_EQ(judge(std::vector{counts(1, 2)}, {}).tested, 0u);
  EXPECT_EQ(judged(counts(0, 3)).verdict, Verdict::kRegression);
  EXPECT_FALSE(judged(counts(0, 3)).change.has_value()) << "no percentage of nothing";
}

TEST(Judge, VaryingCounts_AreNotTested) {
  const PairedSamples varying{.base = {100, 101, 101, 100, 101, 100, 100, 101},
                              .candidate = {201, 200, 201, 201, 200, 201, 200, 201},
                              .exact = true};
  const PairedSamples reaches_zero{
      .base = {0, 1, 0, 2, 0, 1}, .candidate = {0, 0, 1, 0, 2, 0}, .exact = true};
  EXPECT_THAT(judged(varying).notes, Contains(HasSubstr("values range from 100 to 201")));
  for (const PairedSamples& samples : {varying, reaches_zero}) {
    const TestResult result = judged(samples);
    EXPECT_EQ(result.verdict, Verdict::kInconclusive);
    EXPECT_EQ(result.reason, TestReason::kCountVaries);
    EXPECT_TRUE(std::isnan(result.p));
  }
}

TEST(Judge, SurplusLaunches_AreUnpaired) {
  PairedSamples uneven = samples(10, 0.05);
  uneven.candidate.resize(7);
  EXPECT_EQ(judged(uneven).pairs, 7u);
  EXPECT_EQ(judged(uneven).dropped, 0u);
}

TEST(Judge, SequentialDesign_TestsUnpaired) {
  const VerdictRule unpaired{.design = Design::kSequential};
  PairedSamples uneven{.base = arm(20, 1e6, 0), .candidate = arm(8, 1.05e6, 1)};
  const TestResult result = judged(uneven, unpaired);
  EXPECT_EQ(result.verdict, Verdict::kSuspect);
  EXPECT_EQ(result.base_launches, 20U);
  EXPECT_EQ(result.candidate_launches, 8U);
  EXPECT_EQ(result.pairs, 8U);
  EXPECT_EQ(result.p, result.p_mann_whitney);
  EXPECT_LT(result.p, 1e-6) << "2 / C(28, 8)";
  EXPECT_NEAR(result.change.value(), 0.05, 0.003);
  EXPECT_EQ(result.cles, 1);
  std::reverse(uneven.candidate.begin(), uneven.candidate.end());
  EXPECT_EQ(judged(uneven, unpaired).change, result.change) << "the order says nothing";
  uneven.base[3] = kNan;
  EXPECT_EQ(judged(uneven, unpaired).base_launches, 19U);
  EXPECT_EQ(judged(uneven, unpaired).candidate_launches, 8U) << "no other launch goes with it";
  uneven.base.resize(5);
  EXPECT_EQ(judged(uneven, unpaired).reason, TestReason::kTooFewPairs);
}

TEST(Judge, OneSlowLaunch_PreventsOk) {
  PairedSamples one_slow = samples(20, 0.001);
  one_slow.candidate[11] *= 2;
  const TestResult result = judged(one_slow);
  EXPECT_LT(result.interval.high, 0.01) << "the typical launch is within the margin";
  EXPECT_GT(result.mean_change.value(), 0.045);
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
  EXPECT_EQ(result.reason, TestReason::kMeanCost);
  EXPECT_EQ(result.slow_candidate, 1U);
  EXPECT_EQ(result.slow_base, 0U);
  EXPECT_GT(result.pairs_needed.value(), 20U);
  EXPECT_THAT(result.notes,
              Contains("1 of 20 launches of the candidate and none of 20 of the base stand out "
                       "as worse, by 99 % (that both have as many: p 1)"));
  one_slow.base.swap(one_slow.candidate);
  EXPECT_EQ(judged(one_slow).reason, TestReason::kMeanCost) << "nor is a better mean `ok`";
}

TEST(Judge, Rate_IsJudgedByItsTime) {
  PairedSamples rate = samples(20, 0.001);
  for (double& value : rate.base) value = 1e9 / value;
  for (double& value : rate.candidate) value = 1e9 / value;
  rate.direction = Direction::kHigherIsBetter;
  EXPECT_EQ(judged(rate).verdict, Verdict::kOk);
  rate.candidate[11] /= 2;
  EXPECT_EQ(judged(rate).reason, TestReason::kMeanCost);
  EXPECT_LT(judged(rate).mean_change.value(), -0.045) << "of the rate";
}

TEST(Judge, Ok_BoundsTheShareOfSlowLaunches) {
  EXPECT_NEAR(judged(samples(10, 0)).slow_share_below, 1 - std::pow(0.05, 0.1), 1e-12);
  EXPECT_NEAR(judged(samples(40, 0)).slow_share_below, 1 - std::pow(0.05, 1.0 / 40), 1e-12);
  EXPECT_EQ(judged(samples(20, 0.05)).slow_share_below, 1) << "a regression says nothing of them";
}

TEST(Judge, Zero_MayBeAValue) {
  const auto zeros = [](double a, double b) {
    return PairedSamples{.base = std::vector(8, a), .candidate = std::vector(8, b), .zeros = true};
  };
  for (const Design design : {Design::kInterleaved, Design::kSequential}) {
    const VerdictRule rule{.design = design};
    const TestResult none = judged(zeros(0, 0), rule);
    EXPECT_EQ(none.verdict, Verdict::kOk);
    EXPECT_EQ(none.change, 0);
    const TestResult from_none = judged(zeros(0, 5e6), rule);
    EXPECT_EQ(from_none.verdict,
              design == Design::kInterleaved ? Verdict::kRegression : Verdict::kSuspect);
    EXPECT_TRUE(from_none.slower);
    EXPECT_FALSE(from_none.change) << "no percentage of nothing";
    const TestResult to_none = judged(zeros(5e6, 0), rule);
    EXPECT_EQ(to_none.verdict,
              design == Design::kInterleaved ? Verdict::kImprovement : Verdict::kSuspect);
    EXPECT_FALSE(to_none.slower);
    EXPECT_NEAR(to_none.change.value(), -1, 1e-12);
  }
  PairedSamples some{
      .base = {0, 0, 3, 0, 0, 2, 0, 0}, .candidate = {0, 1, 0, 0, 2, 0, 0, 0}, .zeros = true};
  EXPECT_EQ(judged(some).verdict, Verdict::kInconclusive);
  EXPECT_EQ(judged(some).dropped, 0U);
}

TEST(Judge, Look_IsStricterThanFixedPairs) {
  EXPECT_EQ(judged(samples(6, 0.5), rule_of_a_look()).reason, TestReason::kTooFewPairs);
  EXPECT_EQ(judged(samples(10, 0.05), rule_of_a_look()).verdict, Verdict::kRegression);
}

int code(std::vector<Verdict> verdicts, bool allow_inconclusive = false) {
  std::vector<TestResult> tests(verdicts.size());
  for (std::size_t i = 0; i < verdicts.size(); ++i) tests[i].verdict = verdicts[i];
  return exit_code({.tests = tests, .allow_inconclusive = allow_inconclusive});
}

int suspect(bool slower, bool allow_inconclusive = false) {
  const std::vector<TestResult> one{{.verdict = Verdict::kSuspect, .slower = slower}};
  return exit_code({.tests = one, .allow_inconclusive = allow_inconclusive});
}

TEST(ExitCode, Verdicts_DecideTheCode) {
  EXPECT_EQ(code({Verdict::kOk}), 0);
  EXPECT_EQ(code({Verdict::kOk, Verdict::kImprovement}), 0);
  EXPECT_EQ(code({Verdict::kOk, Verdict::kRegression, Verdict::kInconclusive}), 1);
  EXPECT_EQ(code({Verdict::kNoData, Verdict::kRegression}), 1) << "whatever else";
  EXPECT_EQ(code({Verdict::kOk, Verdict::kInconclusive}), 3);
  EXPECT_EQ(code({Verdict::kOk, Verdict::kInconclusive}, true), 0);
  EXPECT_EQ(suspect(true), 3);
  EXPECT_EQ(suspect(true, true), 0);
  EXPECT_EQ(suspect(false), 0);
}

TEST(ExitCode, NothingOrInvalid_IsNeverZero) {
  EXPECT_EQ(code({}), 4);
  EXPECT_EQ(code({}, true), 4);
  EXPECT_EQ(code({Verdict::kOk, Verdict::kNoData}), 4);
  EXPECT_EQ(code({Verdict::kInconclusive, Verdict::kInvalid}), 4);
  const std::vector<TestResult> fine{{.verdict = Verdict::kOk}};
  EXPECT_EQ(exit_code({.tests = fine, .missing_cases = true}), 4);
  const std::vector<TestResult> worse{{.verdict = Verdict::kRegression}};
  EXPECT_EQ(exit_code({.tests = worse, .campaign_invalid = true}), 4);
}

TEST(Overall, SeveralVerdicts_GiveTheDecidingOne) {
  std::vector<TestResult> tests(2);
  tests[0].verdict = Verdict::kImprovement;
  tests[1].verdict = Verdict::kOk;
  EXPECT_EQ(overall({.tests = tests}), Verdict::kImprovement);
  tests[1].verdict = Verdict::kRegression;
  EXPECT_EQ(overall({.tests = tests}), Verdict::kRegression);
}

}  // namespace
}  // namespace stepbench::verdict
