// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/measure_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/campaign/stub_campaign.h"

namespace stepbench::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kLongEnough = 3600;

campaign::MachineCases two_cases(const std::string& more) {
  return {.yaml =
              "name: machine\nworkload: stub\nlaunches: 8\n"
              "schedule: {wait: 0, warmup: 1, active: 5}\n" +
              more + "sweep: {matrix: {stub.step_us: [1000, 2000]}}\n",
          .names = {"small", "large"}};
}

TEST(MeasureMachine, MeasuresItsCasesInTurnsAndKeepsNoResults) {
  StubCampaign campaign("");
  const campaign::MachineRun run =
      campaign.machine(two_cases("stub: {jitter: 0.01}\n"), kLongEnough);
  EXPECT_THAT(run.failed, IsEmpty());
  ASSERT_THAT(run.noise.cases, SizeIs(2));
  EXPECT_EQ(run.noise.cases[0].name, "small");
  EXPECT_EQ(run.noise.cases[1].name, "large");
  EXPECT_EQ(run.noise.cases[0].launches, 8U);
  EXPECT_NEAR(run.noise.cases[1].step_ns, 2e6, 1e5);
  EXPECT_GT(run.noise.seconds, 0);
  EXPECT_FALSE(run.noise.measured_utc.empty());
  EXPECT_FALSE(std::filesystem::exists(campaign.folder / "results"));
}

TEST(MeasureMachine, BeginsNoLaunchWhenItsTimeIsOver) {
  StubCampaign campaign("");
  const campaign::MachineRun run = campaign.machine(two_cases(""), 0);
  EXPECT_THAT(run.noise.cases, IsEmpty());
  EXPECT_THAT(run.failed, IsEmpty());
}

TEST(MeasureMachine, EndsWithTheReasonWhereTheFirstLaunchFails) {
  StubCampaign campaign("");
  const campaign::MachineRun run =
      campaign.machine(two_cases("stub: {behaviour: exit_3}\n"), kLongEnough);
  EXPECT_THAT(run.noise.cases, IsEmpty());
  EXPECT_THAT(run.failed, HasSubstr("3"));
}

}  // namespace
}  // namespace stepbench::testing
