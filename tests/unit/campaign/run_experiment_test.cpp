// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "tests/unit/campaign/stub_campaign.h"

namespace stepbench::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

constexpr const char* kTwoCases =
    "name: demo\n"
    "workload: stub\n"
    "launches: 2\n"
    "schedule: {wait: 0, warmup: 1, active: 3}\n"
    "sweep: {matrix: {stub.step_us: [1000, 2000]}}\n";

TEST(RunExperiment, MeasuresEveryLaunchAndReturnsWhatTheFolderHolds) {
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

TEST(RunExperiment, ResumesWhereItWasCutOff) {
  StubCampaign campaign(kTwoCases);
  campaign::RunRequest request = campaign.run_request();
  request.launches = 1;
  EXPECT_EQ(campaign.run(request).exit_status, 0);
  const std::filesystem::path folder = std::filesystem::directory_iterator {
    campaign.folder / "results"
    } -> path();
  request.resume = folder.string();
  (void)campaign.said();
  const campaign::RunEnd again = campaign.run(request);
  EXPECT_EQ(again.run_folder, folder);
  EXPECT_THAT(campaign.said(), HasSubstr("2 cases, 0 launches to do"));
  EXPECT_THAT(again.results.launches, SizeIs(2));
}

TEST(RunExperiment, RefusesToResumeAnotherExperiment) {
  StubCampaign campaign(kTwoCases);
  campaign::RunRequest request = campaign.run_request();
  request.smoke = true;
  request.resume = campaign.run(request).run_folder.string();
  request.smoke = false;
  EXPECT_THAT([&] { (void)campaign.run(request); },
              ThrowsMessage<ConfigError>(HasSubstr("this is not the same experiment")));
  request.resume = (campaign.folder / "none").string();
  EXPECT_THAT([&] { (void)campaign.run(request); },
              ThrowsMessage<ConfigError>(HasSubstr("is not a run's folder")));
}

TEST(RunExperiment, AFailedLaunchIsARowAndAnExitStatus) {
  StubCampaign campaign(
      "name: demo\n"
      "workload: stub\n"
      "launches: 1\n"
      "schedule: {wait: 0, warmup: 1, active: 3}\n"
      "sweep: {matrix: {stub.behaviour: [ok, throw_in_step]}}\n");
  const campaign::RunEnd end = campaign.run(campaign.run_request());
  EXPECT_EQ(end.exit_status, 1);
  EXPECT_THAT(end.results.launches, SizeIs(2));
}

TEST(RunExperiment, WithoutACaseThereIsNothingToPlan) {
  StubCampaign campaign(kTwoCases);
  campaign::RunRequest request = campaign.run_request();
  request.cases = {"zz"};
  EXPECT_THAT([&] { (void)campaign.run(request); },
              ThrowsMessage<ConfigError>(HasSubstr("begins with `zz`")));
}

}  // namespace
}  // namespace stepbench::testing
