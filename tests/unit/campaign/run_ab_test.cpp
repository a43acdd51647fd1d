// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_ab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "tests/unit/campaign/stub_campaign.h"

namespace stepbench::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

constexpr const char* kOneCase =
    "name: ab\n"
    "workload: stub\n"
    "schedule: {wait: 0, warmup: 1, active: 5}\n"
    "stub: {jitter: 0.01}\n";

TEST(RunAb, ReturnsAVerdictAndWhereItsLaunchesAre) {
  StubCampaign campaign(kOneCase);
  AbRequest request = campaign.ab_request();
  request.arms.b_set = {"stub.step_us=1100"};
  const AbRun run = campaign.ab(request);
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_EQ(run.comparison.exit_code, 1);
  EXPECT_EQ(run.run_folder, campaign.begun);
  EXPECT_THAT(read_results(run.run_folder).launches, SizeIs(20));
  EXPECT_THAT(campaign.said(),
              HasSubstr("1 case; judged after 10 pairs; at most 20 launches, seed 1, results in "));
}

TEST(RunAb, AFinishedCampaignIsJudgedAgainWithoutALaunch) {
  StubCampaign campaign(kOneCase);
  AbRequest request = campaign.ab_request();
  request.resume = campaign.ab(request).run_folder.string();
  const AbRun again = campaign.ab(request);
  EXPECT_EQ(again.exit_status, 0);
  EXPECT_THAT(read_results(again.run_folder).launches, SizeIs(20));
  request.seed = 2;
  EXPECT_THAT([&] { (void)campaign.ab(request); },
              ThrowsMessage<ConfigError>(HasSubstr("has seed 1")));
}

TEST(RunAb, NamesTheArmInWhichAMistakeIs) {
  StubCampaign campaign(kOneCase);
  AbRequest request = campaign.ab_request();
  request.arms.b_set = {"stub.step_su=1100"};
  EXPECT_THAT([&] { (void)campaign.ab(request); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("in arm B"), HasSubstr("stub.step_us"))));
}

TEST(RunAb, RefusesWhatIsNoGate) {
  StubCampaign campaign(kOneCase);
  AbRequest request = campaign.ab_request();
  request.allow = {"nosie"};
  EXPECT_THAT([&] { (void)campaign.ab(request); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean 'noise'")));
}

}  // namespace
}  // namespace stepbench::testing
