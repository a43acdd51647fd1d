// SPDX-License-Identifier: Apache-2.0
// One in ten launches of arm B takes twice as long, through the program `stepbench ab`: `ok` is
// said of the campaigns that met none of them, .9^10 of all, and of no other. The stub's clock and
// its slow launches are scripted: the same seeds give the same campaigns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

using ::testing::HasSubstr;

struct SlowCampaign {
  int exit_status = -1;
  std::string out;
  nlohmann::json step = {};  // as the verdict has it
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

TEST(PlantedSlowLaunches, OkIsSaidOfTheCampaignsThatMetNoneAndOfNoOther) {
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

TEST(PlantedSlowLaunches, WithoutThemEveryCampaignIsOk) {
  for (int seed = 100; seed < 106; ++seed) {
    const SlowCampaign campaign = campaign_of_ten_pairs(seed, {});
    EXPECT_EQ(campaign.step.at("verdict"), "ok") << campaign.out;
    EXPECT_EQ(campaign.exit_status, 0);
  }
}

}  // namespace
}  // namespace stepbench::testing
