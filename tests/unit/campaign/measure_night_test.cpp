// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/measure_night.h"

#include <csignal>

#include "tests/testing.h"
#include "tests/unit/campaign/stub_campaign.h"

namespace stepbench::testing {
namespace {

constexpr const char* kNightCase =
    "name: demo\n"
    "workload: stub\n"
    "launches: 2\n"
    "schedule: {wait: 0, warmup: 1, active: 3}\n";

class MeasureNight : public ::testing::Test {
 protected:
  [[nodiscard]] campaign::RunRequest other(const std::string& name, const std::string& yaml) const {
    campaign_.folder.write(name, yaml);
    campaign::RunRequest request = campaign_.run_request();
    request.file = (campaign_.folder / name).string();
    return request;
  }
  [[nodiscard]] campaign::UnfinishedNight night() const {
    return {campaign_.folder / "results", "key", std::chrono::system_clock::now()};
  }
  StubCampaign campaign_{kNightCase};
};

TEST_F(MeasureNight, CutOffNight_MeasuresTheMissingPart) {
  campaign::UnfinishedNight first = night();
  const MeasuredNight before = campaign_.night({campaign_.run_request()}, first);
  (void)campaign_.said();
  campaign::UnfinishedNight second = night();
  const MeasuredNight after =
      campaign_.night({campaign_.run_request(), other("second.yaml", kNightCase)}, second);
  EXPECT_THAT(campaign_.said(), HasSubstr("1 case, 0 launches to do"));
  EXPECT_FALSE(after.signal);
  ASSERT_THAT(after.experiments, SizeIs(2));
  EXPECT_TRUE(fs::equivalent(after.experiments[0].folder, before.experiments[0].folder));
  EXPECT_NE(after.experiments[0].folder, after.experiments[1].folder);
  for (const campaign::NightlyExperiment& experiment : after.experiments) {
    EXPECT_EQ(experiment.error, "");
    EXPECT_THAT(experiment.results.launches, SizeIs(2));
  }
  campaign_.folder.write("config.yaml", std::string(kNightCase) + "stub: {step_us: 2000}\n");
  campaign::UnfinishedNight third = night();
  const MeasuredNight anew = campaign_.night({campaign_.run_request()}, third);
  EXPECT_THAT(campaign_.said(), HasSubstr("is measured again: "));
  ASSERT_THAT(anew.experiments, SizeIs(1));
  EXPECT_FALSE(fs::equivalent(anew.experiments[0].folder, before.experiments[0].folder));
  EXPECT_THAT(anew.experiments[0].results.launches, SizeIs(2));
}

TEST_F(MeasureNight, FailedExperiment_LetsTheNightContinue) {
  campaign::RunRequest nowhere = campaign_.run_request();
  nowhere.results = (campaign_.folder / "config.yaml").string();
  campaign::UnfinishedNight unfinished = night();
  const MeasuredNight measured =
      campaign_.night({nowhere, other("second.yaml", kNightCase)}, unfinished);
  ASSERT_THAT(measured.experiments, SizeIs(2));
  EXPECT_THAT(measured.experiments[0].error, HasSubstr("cannot make a folder for this run"));
  EXPECT_EQ(measured.experiments[0].folder, fs::path{});
  EXPECT_THAT(measured.experiments[1].results.launches, SizeIs(2));
}

TEST_F(MeasureNight, Signal_EndsBeforeTheNextExperiment) {
  campaign::UnfinishedNight unfinished = night();
  const MeasuredNight measured = campaign_.night({campaign_.run_request()}, unfinished, SIGTERM);
  EXPECT_EQ(measured.signal, SIGTERM);
  EXPECT_EQ(measured.experiments.front().folder, fs::path{});
}

TEST(FailedLaunches, FailingCase_IsCountedWithItsReason) {
  StubCampaign campaign(
      "name: demo\n"
      "workload: stub\n"
      "launches: 2\n"
      "schedule: {wait: 0, warmup: 1, active: 3}\n"
      "sweep: {matrix: {stub.behaviour: [ok, throw_in_step, skip]}}\n");
  const campaign::FailedLaunches failed =
      campaign::failed_launches(campaign.run(campaign.run_request()).results);
  EXPECT_EQ(failed.launches, 2U);
  EXPECT_EQ(failed.of, 4U);
  EXPECT_THAT(failed.first, HasSubstr("behaviour=throw_in_step"));
  EXPECT_THAT(failed.first, HasSubstr("scripted exception in step"));
}

}  // namespace
}  // namespace stepbench::testing
