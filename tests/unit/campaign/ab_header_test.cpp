// SPDX-License-Identifier: Apache-2.0
// Which call of `ab` resumes which campaign.
#include "harness/campaign/run_ab.h"

#include "harness/base/error.h"
#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

AbArms two_arms() {
  AbArms arms{
      .a = {.name = "a", .worker = {}, .set = {}, .catalogue = {}, .plan = {}, .words = ""},
      .b = {.name = "b", .worker = {}, .set = {}, .catalogue = {}, .plan = {}, .words = ""}};
  arms.a.worker = {"old/worker", "build1"};
  arms.b.worker = {"new/worker", "build2"};
  arms.a.plan.digest = "plan-a";
  arms.b.plan.digest = "plan-b";
  return arms;
}

verdict::TestedMetrics with_margins(std::optional<double> step, std::optional<double> peak_bytes) {
  verdict::TestedMetrics tested = verdict::default_metrics();
  tested.metrics[0].margin = step;
  tested.metrics[1].margin = peak_bytes;
  return tested;
}

record::RunRow described(const AbArms& arms, std::int64_t pairs = 0,
                         const verdict::TestedMetrics& tested = verdict::default_metrics(),
                         std::uint64_t seed = 7) {
  record::RunRow row;
  row.context.emplace("worker_build_id", arms.a.worker.build_id);
  describe_campaign(arms, pairs, tested, seed, row);
  return row;
}

record::Results earlier_with(const record::RunRow& row) {
  record::Results earlier;
  earlier.runs = {row};
  return earlier;
}

TEST(AbHeader, Run_RecordsSeedPairsMarginsAndArms) {
  const record::RunRow row = described(two_arms(), 20, with_margins(0.02, 0.5));
  const auto text = [&](const char* name) { return to_text(row.context.at(name)); };
  EXPECT_EQ(text("ab_seed"), "7");
  EXPECT_EQ(text("ab_pairs"), "20");
  EXPECT_EQ(text("ab_margin_step"), "0.02");
  EXPECT_EQ(text("ab_margin_peak_bytes"), "0.5");
  EXPECT_EQ(text("arm_a_worker"), "old/worker");
  EXPECT_EQ(text("arm_b_build_id"), "build2");
  EXPECT_EQ(to_text(described(two_arms()).context.at("ab_pairs")), "looks");
}

TEST(AbHeader, OtherCampaign_IsRejected) {
  const AbArms arms = two_arms();
  const record::Results earlier = earlier_with(described(arms));
  const auto refuses = [&](const record::RunRow& now, const std::string& why) {
    EXPECT_THAT([&] { check_same_campaign(earlier, now, arms); },
                ThrowsMessage<ConfigError>(HasSubstr(why)));
  };
  refuses(described(arms, 20), "--pairs was `looks` and is now `20`");
  refuses(described(arms, 0, with_margins(0.03, {})), "--margin step was `0.01` and is now `0.03`");
  refuses(described(arms, 0, verdict::tested_metrics(std::vector<std::string>{"step"}, {})),
          "--metric was `step, peak_bytes` and is now `step`");
  AbArms rebuilt = arms;
  rebuilt.b.worker.build_id = "build3";
  refuses(described(rebuilt), "the build of arm B's worker was `build2` and is now `build3`");
  AbArms replanned = arms;
  replanned.b.plan.digest = "plan-c";
  refuses(described(replanned), "the plan's digest was");
}

TEST(AbHeader, SameOrOlderCampaign_Resumes) {
  const AbArms arms = two_arms();
  record::RunRow old = described(arms);
  EXPECT_NO_THROW(check_same_campaign(earlier_with(old), described(arms), arms));
  EXPECT_NO_THROW(check_same_campaign({}, described(arms), arms)) << "nothing to go on with";
  old.context.erase("ab_metrics");
  EXPECT_NO_THROW(check_same_campaign(earlier_with(old), described(arms), arms));
  EXPECT_THAT([&] { check_same_campaign(earlier_with(record::RunRow{}), old, arms); },
              ThrowsMessage<ConfigError>(HasSubstr("not an A/B campaign")));
}

TEST(AbHeader, Resumed_KeepsItsSeed) {
  const record::Results earlier = earlier_with(described(two_arms()));
  EXPECT_EQ(seed_for(std::nullopt, earlier), 7U);
  EXPECT_EQ(seed_for(7, earlier), 7U);
  EXPECT_EQ(seed_for(9, {}), 9U);
  EXPECT_THAT([&] { (void)seed_for(9, earlier); },
              ThrowsMessage<ConfigError>(HasSubstr("the campaign to resume has seed 7")));
  for (int i = 0; i < 100; ++i) {
    EXPECT_LE(seed_for(std::nullopt, {}), std::uint64_t{1} << 53U);
  }
}

}  // namespace
}  // namespace stepbench::campaign
