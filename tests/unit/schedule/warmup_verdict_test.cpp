// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule/schedule.h"

#include <random>

#include "tests/testing.h"

namespace stepbench::schedule {
namespace {

constexpr std::int64_t kStepNs = 1'000'000;

// `slow` steps that fall linearly from twice the level, with noise of at most 0.2 %.
std::vector<std::int64_t> window(std::size_t steps, std::size_t slow) {
  std::mt19937 random(7);
  std::uniform_int_distribution<std::int64_t> noise(-kStepNs / 500, kStepNs / 500);
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < steps; ++i) {
    const std::int64_t excess =
        i < slow ? kStepNs * static_cast<std::int64_t>(slow - i) / static_cast<std::int64_t>(slow)
                 : 0;
    out.push_back(kStepNs + excess + noise(random));
  }
  return out;
}

WarmupVerdict judge(const std::vector<std::int64_t>& steps) {
  return judge_warmup(steps, std::vector<std::int64_t>(steps.size(), 0));
}

TEST(Warmup, SteadyWindow_IsOk) {
  const WarmupVerdict verdict = judge(window(60, 0));
  EXPECT_EQ(verdict.kind, WarmupVerdict::Kind::kOk);
  EXPECT_EQ(verdict.more_steps, 0);
  EXPECT_THAT(describe(verdict), IsEmpty());
}

TEST(Warmup, FallingWindow_IsTooShort) {
  const WarmupVerdict verdict = judge(window(60, 30));
  EXPECT_EQ(verdict.kind, WarmupVerdict::Kind::kTooShort);
  EXPECT_GE(verdict.more_steps, 25);
  EXPECT_LE(verdict.more_steps, 32);
  EXPECT_LT(verdict.change, 0);
  EXPECT_THAT(describe(verdict),
              HasSubstr("warm-up too short, at least " + std::to_string(verdict.more_steps)));
  EXPECT_THAT(describe(verdict), HasSubstr("faster"));
  EXPECT_GE(judge(window(60, 90)).more_steps, 40);
  EXPECT_EQ(judge(window(10, 10)).kind, WarmupVerdict::Kind::kUnknown);
  EXPECT_EQ(judge({}).kind, WarmupVerdict::Kind::kUnknown);
}

TEST(Warmup, RisingWindow_IsDrifting) {
  std::vector<std::int64_t> steps = window(60, 60);
  std::reverse(steps.begin(), steps.end());
  const WarmupVerdict verdict = judge(steps);
  EXPECT_EQ(verdict.kind, WarmupVerdict::Kind::kDrifting);
  EXPECT_EQ(verdict.more_steps, 0);
  EXPECT_GT(verdict.change, 0.3);
  EXPECT_THAT(describe(verdict), HasSubstr("drifting: steps became "));
  EXPECT_THAT(describe(verdict), HasSubstr("slower within the window, which no warm-up cures"));
}

// One long wait and three ready batches, repeatedly: four workers in lockstep.
std::vector<std::int64_t> lockstep_of_four(std::size_t steps) {
  std::vector<std::int64_t> out = window(steps, 0);
  for (std::size_t i = 0; i < steps; ++i) out[i] = i % 4 == 0 ? 4 * out[i] : out[i] / 50;
  return out;
}

TEST(Warmup, LockstepSteps_AreJudgedByTurns) {
  std::vector<std::int64_t> steps = lockstep_of_four(96);
  const std::vector<std::int64_t> flags(steps.size(), 0);
  EXPECT_EQ(judge_warmup(steps, flags, 4).kind, WarmupVerdict::Kind::kOk);
  for (std::size_t i = 0; i < 32; ++i) steps[i] += steps[i] / 2;
  const WarmupVerdict verdict = judge_warmup(steps, flags, 4);
  EXPECT_EQ(verdict.kind, WarmupVerdict::Kind::kTooShort);
  EXPECT_EQ(verdict.more_steps, 32);
  EXPECT_EQ(judge_warmup(steps, flags, 6).kind, WarmupVerdict::Kind::kUnknown) << "sixteen blocks";
}

TEST(Warmup, BlockWithAFlag_IsExcluded) {
  std::vector<std::int64_t> steps = lockstep_of_four(96);
  std::vector<std::int64_t> flags(steps.size(), 0);
  for (std::size_t i = 0; i < 20; i += 4) {
    steps[i] *= 3;
    flags[i] = 1;
  }
  EXPECT_EQ(judge_warmup(steps, flags, 4).kind, WarmupVerdict::Kind::kOk);
}

// The first `slow` steps take `times` as long; each `every`th of them is flagged.
WarmupVerdict judge_flagged(std::size_t slow, std::int64_t times, std::size_t every) {
  std::vector<std::int64_t> steps = window(60, 0);
  std::vector<std::int64_t> flags(steps.size(), 0);
  for (std::size_t i = 0; i < slow; ++i) {
    steps[i] *= times;
    if (i % every == 0) flags[i] = 1;
  }
  return judge_warmup(steps, flags);
}

TEST(Warmup, FlaggedSteps_AreExcludedUnlessMost) {
  EXPECT_EQ(judge_flagged(20, 3, 1).kind, WarmupVerdict::Kind::kOk);
  EXPECT_EQ(judge_warmup(window(60, 30), std::vector<std::int64_t>(60, 1)).kind,
            WarmupVerdict::Kind::kTooShort);
  const WarmupVerdict half = judge_flagged(24, 2, 2);
  EXPECT_EQ(half.kind, WarmupVerdict::Kind::kTooShort);
  EXPECT_GE(half.more_steps, 23);
}

TEST(Warmup, SlowFirstStep_HasItsOwnHint) {
  std::vector<std::int64_t> steps = window(60, 0);
  steps.front() *= 5;
  const WarmupVerdict verdict = judge(steps);
  EXPECT_EQ(verdict.kind, WarmupVerdict::Kind::kOk);
  EXPECT_TRUE(verdict.first_step_slow);
  EXPECT_THAT(describe(verdict), HasSubstr("first measured step"));
  steps[30] *= 5;
  EXPECT_FALSE(judge(steps).first_step_slow) << "there are outliers elsewhere";
}

TEST(Warmup, SeveralWindows_ReportTheWorst) {
  const WarmupVerdict ok{.kind = WarmupVerdict::Kind::kOk};
  const WarmupVerdict short_by_3{.kind = WarmupVerdict::Kind::kTooShort, .more_steps = 3};
  const WarmupVerdict short_by_9{.kind = WarmupVerdict::Kind::kTooShort, .more_steps = 9};
  EXPECT_EQ(worse(ok, short_by_3).more_steps, 3);
  EXPECT_EQ(worse(short_by_9, short_by_3).more_steps, 9);
  EXPECT_EQ(worse(WarmupVerdict{}, ok).kind, WarmupVerdict::Kind::kOk);
  const WarmupVerdict drifts{.kind = WarmupVerdict::Kind::kDrifting, .change = 0.05};
  EXPECT_EQ(worse(drifts, short_by_3).kind, WarmupVerdict::Kind::kTooShort) << "that can be cured";
  EXPECT_EQ(worse(drifts, {.kind = WarmupVerdict::Kind::kDrifting, .change = 0.2}).change, 0.2);
}

TEST(Warmup, Case_NeedsMoreThanHalfTheLaunches) {
  const WarmupVerdict ok{.kind = WarmupVerdict::Kind::kOk};
  const WarmupVerdict too_short{
      .kind = WarmupVerdict::Kind::kTooShort, .more_steps = 5, .change = -0.1};
  const WarmupVerdict drifts{.kind = WarmupVerdict::Kind::kDrifting, .change = 0.1};
  const auto kind = [](std::vector<WarmupVerdict> launches) { return agreed(launches).kind; };
  EXPECT_EQ(kind({too_short, too_short, ok}), WarmupVerdict::Kind::kTooShort);
  EXPECT_EQ(kind({too_short, too_short, ok, ok}), WarmupVerdict::Kind::kOk) << "half of them";
  EXPECT_EQ(kind({too_short, drifts, ok}), WarmupVerdict::Kind::kOk) << "both signs are chance";
  EXPECT_EQ(kind({drifts}), WarmupVerdict::Kind::kDrifting);
  EXPECT_EQ(kind({}), WarmupVerdict::Kind::kUnknown);
  EXPECT_EQ(kind({WarmupVerdict{}, WarmupVerdict{}, ok}), WarmupVerdict::Kind::kUnknown);
  const WarmupVerdict longer{
      .kind = WarmupVerdict::Kind::kTooShort, .more_steps = 9, .change = -0.2};
  const std::vector<WarmupVerdict> three = {too_short, longer, too_short};
  EXPECT_EQ(agreed(three).more_steps, 9);
  EXPECT_EQ(agreed(three).change, -0.1);
}

TEST(Warmup, UnknownName_IsUnknown) {
  for (const WarmupVerdict::Kind kind :
       {WarmupVerdict::Kind::kUnknown, WarmupVerdict::Kind::kOk, WarmupVerdict::Kind::kDrifting,
        WarmupVerdict::Kind::kTooShort}) {
    EXPECT_EQ(warmup_kind(name_of(kind)), kind);
  }
  EXPECT_EQ(warmup_kind("drowsy"), WarmupVerdict::Kind::kUnknown);
}

}  // namespace
}  // namespace stepbench::schedule
