// SPDX-License-Identifier: Apache-2.0
// Changes of known size and slow launches, planted into runs of the stub worker, and the results of
// `compare` and `ab`. The stub's clock is scripted: the same seeds give the same times.
#include <nlohmann/json.hpp>

#include "harness/campaign/run_ab.h"
#include "harness/verdict/detectable_change.h"
#include "tests/testing.h"
#include "tests/unit/campaign/stub_campaign.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

constexpr int kComparisons = 8;
constexpr double kJitter = 0.05;
constexpr double kSteps = 5;

std::string stored_run(StubCampaign& campaign, int seed, double step_us) {
  campaign::RunRequest request = campaign.run_request();
  request.set = {"seed=" + std::to_string(seed), "stub.step_us=" + std::to_string(step_us)};
  return campaign.run(request).run_folder.string();
}

int found(double change) {
  StubCampaign campaign(
      "name: planted\nworkload: stub\nschedule: {wait: 0, warmup: 1, active: 5}\n"
      "stub: {jitter: 0.05}\n");
  int suspects = 0;
  for (int i = 0; i < kComparisons; ++i) {
    const std::string base = stored_run(campaign, 2 * i, 1000);
    const std::string candidate = stored_run(campaign, 2 * i + 1, 1000 * (1 + change));
    campaign::CompareRequest request;
    request.base = base;
    request.candidates = {candidate};
    request.ignore = {"stub.step_us"};
    request.margins = {"peak_bytes=50%"};
    const verdict::Comparison comparison =
        campaign::compare_files(request, Catalogue{harness_sections(), {}}).front();
    const verdict::TestResult& step = comparison.cases.at(0).metrics.at(0).test;
    EXPECT_EQ(step.pairs, 8U);
    suspects += step.verdict == verdict::Verdict::kSuspect && step.slower;
  }
  return suspects;
}

TEST(PlantedChanges, PromisedSize_IsMostlyFound) {
  const double launch_sd = kJitter / std::sqrt(3.0) / std::sqrt(kSteps);
  const double promised = verdict::change_found({.launches = 8, .tests = 2}, launch_sd).value();
  EXPECT_GT(promised, 0.02);
  EXPECT_LT(promised, 0.05);
  EXPECT_GE(found(promised), 5) << "of " << kComparisons;
  EXPECT_LE(found(promised / 4), 2) << "of " << kComparisons;
}

// One in ten launches of arm B takes twice as long, through the program `stepbench ab`: only
// campaigns without any of them, .9^10 of all, may be `ok`.
struct SlowCampaign {
  int exit_status = -1;
  std::string out;
  nlohmann::json step = {};  // as in the verdict
  int launches_of_b = 0;
  int slow_of_b = 0;
};

// Launches of one arm differ by .26 %.
SlowCampaign campaign_of_ten_pairs(int seed, const std::vector<std::string>& more) {
  RunProgram program;
  program.ab = true;
  program.config(
      "name: planted\nworkload: stub\nschedule: {wait: 0, warmup: 1, active: 5}\n"
      "stub: {jitter: 0.01}\n");
  std::vector<std::string> arguments = {"--pairs",  "10",
                                        "--margin", "peak_bytes=50%",
                                        "--a-set",  "seed=" + std::to_string(2 * seed),
                                        "--b-set",  "seed=" + std::to_string(2 * seed + 1)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const os::CommandResult result = program.run(arguments);
  SlowCampaign campaign{.exit_status = result.exit_status, .out = result.out + result.err};
  std::ifstream file(program.run_dir() / "verdict.json");
  campaign.step = nlohmann::json::parse(file).at("cases").at(0).at("metrics").at(0);
  for (const record::Launch& launch : program.results().launches) {
    if (launch.row.key.arm != "b") continue;
    ++campaign.launches_of_b;
    campaign.slow_of_b += launch.samples.at(0).steps.column("step_ns").front() > 1'500'000 ? 1 : 0;
  }
  return campaign;
}

TEST(PlantedSlowLaunches, SlowLaunches_PreventOk) {
  constexpr int kCampaigns = 24;
  int met_none = 0;
  int slow = 0;
  for (int seed = 0; seed < kCampaigns; ++seed) {
    const SlowCampaign campaign =
        campaign_of_ten_pairs(seed, {"--b-set", "stub.slow_launches=0.1"});
    ASSERT_EQ(campaign.launches_of_b, 10) << campaign.out;
    slow += campaign.slow_of_b;
    const std::string verdict = campaign.step.at("verdict");
    if (campaign.slow_of_b == 0) {
      ++met_none;
      EXPECT_EQ(verdict, "ok") << campaign.out;
      EXPECT_EQ(campaign.exit_status, 0);
      EXPECT_THAT(campaign.out,
                  HasSubstr("ok does not exclude that up to 26 % of all launches are far slower "
                            "(none of 10 was)"));
      continue;
    }
    EXPECT_NE(verdict, "ok") << campaign.out;
    EXPECT_NE(campaign.exit_status, 0) << campaign.out;
    if (campaign.slow_of_b == 1) {
      EXPECT_EQ(verdict, "inconclusive");
    }
  }
  RecordProperty("met_none", met_none);
  EXPECT_NEAR(slow, 24, 14) << "a tenth of 240 launches, by three standard deviations";
  EXPECT_NEAR(met_none, 8.4, 7) << ".9^10 of 24 campaigns, by three standard deviations";
}

TEST(PlantedSlowLaunches, NoSlowLaunches_AreAlwaysOk) {
  for (int seed = 100; seed < 106; ++seed) {
    const SlowCampaign campaign = campaign_of_ten_pairs(seed, {});
    EXPECT_EQ(campaign.step.at("verdict"), "ok") << campaign.out;
    EXPECT_EQ(campaign.exit_status, 0);
  }
}

}  // namespace
}  // namespace stepbench::testing
