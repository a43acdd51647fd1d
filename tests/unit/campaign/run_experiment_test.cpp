// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_experiment.h"

#include "harness/base/error.h"
#include "harness/campaign/examine_machine.h"
#include "tests/testing.h"
#include "tests/unit/campaign/stub_campaign.h"

namespace stepbench::testing {
namespace {

constexpr const char* kTwoCases =
    "name: demo\n"
    "workload: stub\n"
    "launches: 2\n"
    "schedule: {wait: 0, warmup: 1, active: 3}\n"
    "sweep: {matrix: {stub.step_us: [1000, 2000]}}\n";

TEST(RunExperiment, TwoCases_MeasureEveryLaunchSilently) {
  StubCampaign campaign(kTwoCases);
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const campaign::RunEnd end = campaign.run(campaign.run_request());
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "") << "a library prints nothing";
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(end.exit_status, 0);
  EXPECT_FALSE(end.signal);
  EXPECT_THAT(end.results.launches, SizeIs(4));
  EXPECT_THAT(end.run_folder.filename().string(), HasSubstr("-demo"));
  EXPECT_EQ(end.results.runs.front().stepbench_version, "0.0.0");
  EXPECT_THAT(campaign.said(), HasSubstr("2 cases, 4 launches to do, results in "));
}

TEST(RunExperiment, CutOffRun_Resumes) {
  StubCampaign campaign(kTwoCases);
  campaign::RunRequest request = campaign.run_request();
  request.launches = 1;
  EXPECT_EQ(campaign.run(request).exit_status, 0);
  const fs::path folder = fs::directory_iterator { campaign.folder / "results" } -> path();
  request.resume = folder.string();
  (void)campaign.said();
  const campaign::RunEnd again = campaign.run(request);
  EXPECT_EQ(again.run_folder, folder);
  EXPECT_THAT(campaign.said(), HasSubstr("2 cases, 0 launches to do"));
  EXPECT_THAT(again.results.launches, SizeIs(2));
}

TEST(RunExperiment, OtherExperiment_IsNotResumed) {
  StubCampaign campaign(kTwoCases);
  campaign::RunRequest request = campaign.run_request();
  const auto refuses = [&](const std::string& why) {
    EXPECT_THAT([&] { (void)campaign.run(request); }, ThrowsMessage<ConfigError>(HasSubstr(why)));
  };
  request.smoke = true;
  request.resume = campaign.run(request).run_folder.string();
  request.smoke = false;
  refuses("this is not the same experiment");
  request.resume = (campaign.folder / "none").string();
  refuses("is not a run's folder");
  request.cases = {"zz"};
  refuses("begins with `zz`");
}

TEST(RunExperiment, FailedLaunch_IsARowAndAnExitStatus) {
  StubCampaign campaign(
      "name: demo\nworkload: stub\nlaunches: 1\nschedule: {wait: 0, warmup: 1, active: 3}\n"
      "sweep: {matrix: {stub.behaviour: [ok, throw_in_step]}}\n");
  const campaign::RunEnd end = campaign.run(campaign.run_request());
  EXPECT_EQ(end.exit_status, 1);
  EXPECT_THAT(end.results.launches, SizeIs(2));
}

// Cases that characterise a machine.
constexpr double kLongEnough = 3600;

campaign::MachineRun measured_machine(const std::string& more, double seconds) {
  StubCampaign campaign("");
  const campaign::MachineRun run =
      campaign.machine({.yaml = "name: machine\nworkload: stub\nlaunches: 8\n"
                                "schedule: {wait: 0, warmup: 1, active: 5}\n" +
                                more + "sweep: {matrix: {stub.step_us: [1000, 2000]}}\n",
                        .names = {"small", "large"}},
                       seconds);
  EXPECT_FALSE(fs::exists(campaign.folder / "results"));
  return run;
}

TEST(MeasureMachine, Cases_AlternateWithinTheTime) {
  const campaign::MachineRun run = measured_machine("stub: {jitter: 0.01}\n", kLongEnough);
  EXPECT_EQ(run.failed, "");
  ASSERT_THAT(run.noise.cases, SizeIs(2));
  EXPECT_EQ(run.noise.cases[0].name, "small");
  EXPECT_EQ(run.noise.cases[1].name, "large");
  EXPECT_EQ(run.noise.cases[0].launches, 8U);
  EXPECT_NEAR(run.noise.cases[1].step_ns, 2e6, 1e5);
  EXPECT_GT(run.noise.seconds, 0);
  EXPECT_FALSE(run.noise.measured_utc.empty());
  const campaign::MachineRun over = measured_machine("", 0);
  EXPECT_THAT(over.noise.cases, SizeIs(0));
  EXPECT_EQ(over.failed, "");
  const campaign::MachineRun failed = measured_machine("stub: {behaviour: exit_3}\n", kLongEnough);
  EXPECT_THAT(failed.noise.cases, SizeIs(0));
  EXPECT_THAT(failed.failed, HasSubstr("3"));
}

}  // namespace
}  // namespace stepbench::testing
