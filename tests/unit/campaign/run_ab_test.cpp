// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_ab.h"

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/campaign/stub_campaign.h"

namespace stepbench::testing {
namespace {

constexpr const char* kOneCase =
    "name: ab\n"
    "workload: stub\n"
    "schedule: {wait: 0, warmup: 1, active: 5}\n"
    "stub: {jitter: 0.01}\n";

TEST(RunAb, SlowerArm_ReturnsTheVerdictAndTheFolder) {
  StubCampaign campaign(kOneCase);
  campaign::AbRequest request = campaign.ab_request();
  request.b.set = {"stub.step_us=1100"};
  const campaign::AbRun run = campaign.ab(request);
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_EQ(run.comparison.exit_code, 1);
  EXPECT_EQ(run.run_folder, campaign.begun);
  EXPECT_THAT(record::read_results(run.run_folder).launches, SizeIs(20));
  EXPECT_THAT(campaign.said(),
              HasSubstr("1 case; judged after 10 pairs; at most 20 launches, seed 1, results in "));
}

TEST(RunAb, FinishedCampaign_IsJudgedWithoutLaunches) {
  StubCampaign campaign(kOneCase);
  campaign::AbRequest request = campaign.ab_request();
  request.resume = campaign.ab(request).run_folder.string();
  const campaign::AbRun again = campaign.ab(request);
  EXPECT_EQ(again.exit_status, 0);
  EXPECT_THAT(record::read_results(again.run_folder).launches, SizeIs(20));
  request.seed = 2;
  EXPECT_THAT([&] { (void)campaign.ab(request); },
              ThrowsMessage<ConfigError>(HasSubstr("has seed 1")));
}

TEST(RunAb, DifferingWorkers_AreNamed) {
  StubCampaign campaign(kOneCase);
  const fs::path copy = campaign.folder / "new-worker";
  fs::copy_file(STUB_WORKER, copy);
  campaign::AbRequest request = campaign.ab_request();
  request.pairs = 2;
  request.b.worker = copy.string();
  const campaign::AbRun run = campaign.ab(request);
  EXPECT_EQ(run.comparison.base, "worker " STUB_WORKER);
  EXPECT_EQ(run.comparison.candidate, "worker " + copy.string());
  EXPECT_THAT(
      run.comparison.warnings,
      Contains(HasSubstr("both arms are the same program with the same options: this A/A")));
}

TEST(RunAb, UnknownOptionOrGate_IsRejected) {
  StubCampaign campaign(kOneCase);
  campaign::AbRequest request = campaign.ab_request();
  request.b.set = {"stub.step_su=1100"};
  EXPECT_THAT([&] { (void)campaign.ab(request); },
              ThrowsMessage<ConfigError>(
                  AllOf(StartsWith("--b-set stub.step_su: in arm B"), HasSubstr("stub.step_us"))));
  request = campaign.ab_request();
  request.allow = {"nosie"};
  EXPECT_THAT([&] { (void)campaign.ab(request); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean 'noise'")));
}

}  // namespace
}  // namespace stepbench::testing
