// SPDX-License-Identifier: Apache-2.0
// Estimates how long a plan takes: by earlier runs, and by a probe.
#include "harness/campaign/run_experiment.h"

#include "harness/campaign/internal/plan_forecast.h"
#include "tests/testing.h"
#include "tests/unit/campaign/stub_campaign.h"

namespace stepbench::testing {
namespace {

// The stub's clock is virtual: a step takes exactly this long.
constexpr const char* kQuickAndSlow =
    "name: demo\n"
    "workload: stub\n"
    "launches: 4\n"
    "schedule: {wait: 0, warmup: 10, active: 50}\n"
    "sweep: {matrix: {stub.step_us: [1000, 2000]}}\n";
constexpr const char* kGoodAndBad =
    "name: demo\n"
    "workload: stub\n"
    "launches: 4\n"
    "schedule: {wait: 0, warmup: 10, active: 50}\n"
    "sweep: {matrix: {stub.behaviour: [ok, throw_in_step]}}\n";

record::LaunchRow launch_of(std::int64_t wall_ns, std::int64_t steps) {
  record::LaunchRow row;
  row.wall_ns = wall_ns;
  row.report.schedule = {{"steps", steps}};
  return row;
}

TEST(LaunchCost, Launch_SplitsIntoStepAndFixedTime) {
  record::LaunchRow row = launch_of(3'000'000'000, 100);
  row.report.metrics = {{"set_up_ns", 1e9}};
  const campaign::LaunchCost untimed = campaign::cost_of(row).value();
  EXPECT_DOUBLE_EQ(untimed.step_s, 0.02) << "without timed windows: of all steps";
  EXPECT_DOUBLE_EQ(untimed.fixed_s, 1);
  row.report.metrics = {};
  row.report.schedule["cycles"] = std::int64_t{2};
  row.report.schedule["active"] = std::int64_t{25};
  row.report.schedule["window_drained_ns"] = std::int64_t{500'000'000};
  const campaign::LaunchCost cost = campaign::cost_of(row).value();
  EXPECT_DOUBLE_EQ(cost.step_s, 0.01);
  EXPECT_DOUBLE_EQ(cost.fixed_s, 2);
  EXPECT_DOUBLE_EQ(cost.of(1000), 12);
  row.key.pass = Pass::kNative;
  EXPECT_FALSE(campaign::cost_of(row)) << "of a profiled launch it is not known";
  row.key.pass = Pass::kTiming;
  row.outcome = Outcome::failed("boom");
  EXPECT_FALSE(campaign::cost_of(row));
}

TEST(Estimate, NewerRunsOfOtherCases_HideNoOlderOnes) {
  StubCampaign campaign(kQuickAndSlow);
  const campaign::RunRequest request = campaign.run_request();
  EXPECT_EQ(campaign.run(request).exit_status, 0);
  for (int i = 0; i < 30; ++i) {
    fs::copy(STEPBENCH_SOURCE_DIR "/results/sample",
             fs::path(request.results) / ("29990101-0000" + std::to_string(10 + i) + "-other"));
  }
  const campaign::TimeEstimate estimate =
      campaign::estimate_time(campaign.plan(request), request.results);
  EXPECT_EQ(estimate.known_cases, 2);
  EXPECT_EQ(estimate.runs, 1);
  EXPECT_EQ(estimate.launches, 8);
  EXPECT_GE(estimate.expected_s, 4 * 60 * (0.001 + 0.002));
  // Four pairs of each case, then 24 more.
  EXPECT_DOUBLE_EQ(estimate.night_s, 2 * estimate.expected_s);
  EXPECT_DOUBLE_EQ(estimate.night_most_s, 7 * estimate.night_s);
  EXPECT_THAT(campaign::night_text(estimate), StartsWith("as a night: about "));
  EXPECT_EQ(campaign::night_text({}), "");
}

TEST(Estimate, Night_EndsWithItsBudget) {
  StubCampaign campaign(kQuickAndSlow);
  campaign::KnownCosts costs;
  const plan::Plan plan = campaign.plan(campaign.run_request());
  for (const plan::PlannedCase& each : plan.cases)
    costs.by_case[each.resolved.case_id] = {.fixed_s = 1000};
  const campaign::TimeEstimate estimate = campaign::estimate_time(plan, costs);
  EXPECT_DOUBLE_EQ(estimate.night_s, 16e3);
  // A started case is finished: eight pairs.
  EXPECT_DOUBLE_EQ(estimate.night_most_s, campaign::night_budget_s(16e3) + 16e3);
}

TEST(Estimate, NewestWholeRun_CountsPerCase) {
  StubCampaign campaign(kQuickAndSlow);
  campaign::RunRequest request = campaign.run_request();
  const auto estimate = [&] {
    return campaign::estimate_time(campaign.plan(request), request.results);
  };
  request.smoke = true;
  EXPECT_EQ(campaign.run(request).exit_status, 0);
  campaign.folder.write("results/30000101-000000-x/a.jsonl", "{\"kind\":\"launch\",\"case_id\":\"");
  request.smoke = false;
  EXPECT_EQ(estimate().known_cases, 0);
  for (const char* one : {"step_us=1000", "step_us=2000"}) {
    request.filter = {one};
    EXPECT_EQ(campaign.run(request).exit_status, 0);
  }
  request.filter = {};
  EXPECT_EQ(estimate().known_cases, 2);
  EXPECT_EQ(estimate().runs, 2);
  request.profile = "native";
  EXPECT_EQ(campaign::estimate_time(campaign.plan(request), "/no/such/folder").launches,
            2 * (4 + 1));
}

TEST(Probe, TwoCases_GiveCostsAndKeepNoResults) {
  StubCampaign campaign(kQuickAndSlow);
  const campaign::RunRequest request = campaign.run_request();
  const campaign::Probe probe = campaign.probe(request);
  EXPECT_EQ(probe.exit_status, 0);
  EXPECT_THAT(probe.failed, IsEmpty());
  ASSERT_THAT(probe.costs.by_case, SizeIs(2));
  const plan::Plan plan = campaign.plan(request);
  const campaign::LaunchCost slow = probe.costs.by_case.at(plan.cases.back().resolved.case_id);
  EXPECT_DOUBLE_EQ(slow.step_s, 0.002);
  const campaign::TimeEstimate estimate = campaign::estimate_time(plan, probe.costs);
  EXPECT_TRUE(estimate.probed);
  EXPECT_GE(estimate.expected_s, 4 * 60 * (0.001 + 0.002)) << "the whole schedule's steps";
  EXPECT_FALSE(fs::exists(request.results));
  EXPECT_THAT(campaign.said(), HasSubstr("probe: 2 cases, 2 launches to do, results are not kept"));
}

TEST(Probe, FailingCases_AreNamed) {
  StubCampaign campaign(kGoodAndBad);
  const campaign::Probe probe = campaign.probe(campaign.run_request());
  EXPECT_EQ(probe.exit_status, 1);
  EXPECT_THAT(probe.costs.by_case, SizeIs(1));
  ASSERT_THAT(probe.failed, SizeIs(1));
  EXPECT_EQ(probe.failed.front().outcome.reason, "scripted exception in step");
  EXPECT_EQ(probe.failed.front().stage, "warmup");
}

}  // namespace
}  // namespace stepbench::testing
