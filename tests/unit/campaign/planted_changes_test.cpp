// SPDX-License-Identifier: Apache-2.0
// Changes of known size, planted into stored runs of the stub worker, and what `compare` finds of
// them with the default number of launches. The stub's clock is scripted: the same seeds give the
// same times.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "harness/campaign/compare_files.h"
#include "harness/compare/power.h"
#include "tests/unit/campaign/stub_campaign.h"

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
    const compare::Comparison comparison =
        campaign::compare_files({.base = base,
                                 .candidates = {candidate},
                                 .ignore = {"stub.step_us"},
                                 .margins = {"peak_bytes=50%"}},
                                Catalogue{harness_sections(), {}})
            .front();
    const compare::TestResult& step = comparison.cases.at(0).metrics.at(0).test;
    EXPECT_EQ(step.pairs, 8U);
    suspects += step.verdict == compare::Verdict::kSuspect && step.slower;
  }
  return suspects;
}

TEST(PlantedChanges, EightLaunchesFindTheSizeThatIsPromisedMostlyAndAQuarterOfItSeldom) {
  const double launch_sd = kJitter / std::sqrt(3.0) / std::sqrt(kSteps);
  const double promised = compare::change_found({.launches = 8, .tests = 2}, launch_sd).value();
  EXPECT_GT(promised, 0.02);
  EXPECT_LT(promised, 0.05);
  EXPECT_GE(found(promised), 5) << "of " << kComparisons;
  EXPECT_LE(found(promised / 4), 2) << "of " << kComparisons;
}

}  // namespace
}  // namespace stepbench::testing
