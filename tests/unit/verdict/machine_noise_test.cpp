// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/detectable_change.h"

#include "tests/testing.h"
#include "tests/unit/verdict/result_maker.h"

namespace stepbench::verdict {
namespace {

const std::map<std::string, std::string> kNames = {{"aaaa", "compute"}, {"bbbb", "memory"}};

// 10 ms; every second launch takes 2 % more.
std::int64_t in_turns(int launch) { return launch % 2 == 0 ? 10'000'000 : 10'200'000; }
// 0.1 % more with each launch, without other variation.
std::int64_t slowly(int launch) { return static_cast<std::int64_t>(1e7 * std::pow(1.001, launch)); }

TEST(MachineNoise, SlowDrift_IsSeparatedFromLaunchNoise) {
  const record::Results results = make(
      {.cases = {{.case_id = "aaaa", .step_ns = in_turns}, {.case_id = "bbbb", .step_ns = slowly}},
       .launches = 40});
  const MachineNoise noise = machine_noise(results, kNames);
  ASSERT_EQ(noise.cases.size(), 2U);
  const CaseSpread& compute = noise.cases[0];
  EXPECT_EQ(compute.name, "compute");
  EXPECT_EQ(compute.launches, 40U);
  EXPECT_NEAR(compute.step_ns, 10.1e6, 1e3);
  EXPECT_NEAR(compute.launch_sd, 0.02 / std::sqrt(2), 0.0003);
  EXPECT_EQ(compute.minutes_sd, 0) << "the launches explain all of it";
  EXPECT_GT(compute.found_by_10, compute.found_by_40);
  EXPECT_GT(compute.found_by_40, 0.01) << "the margin";
  EXPECT_FALSE(compute.differs) << "ABBA: each arm has as many slow ones";
  EXPECT_NEAR(compute.aa_change, 0, 0.001);
  const CaseSpread& memory = noise.cases[1];
  EXPECT_NEAR(memory.launch_sd, 0.001 / std::sqrt(2), 0.0001);
  EXPECT_NEAR(memory.minutes_sd, 0.001 * 40 / std::sqrt(12), 0.0005);
  EXPECT_TRUE(noise.too_few.empty());
}

TEST(MachineNoise, UnderSixLaunches_AreTooFew) {
  const record::Results results =
      make({.cases = {{.case_id = "aaaa", .step_ns = in_turns}}, .launches = 5});
  const MachineNoise noise = machine_noise(results, kNames);
  EXPECT_TRUE(noise.cases.empty());
  EXPECT_THAT(noise.too_few, ElementsAre("compute"));
}

TEST(MachineNoise, Quote_HasTheDayAndTheLoad) {
  MachineNoise noise{.measured_utc = "2026-01-31T12:00:00Z",
                     .cases = {{.launch_sd = 0.012, .found_by_10 = 0.027, .found_by_40 = 0.018}}};
  EXPECT_EQ(to_text(noise),
            "this machine showed 1.2 % between launches on 2026-01-31 (stepbench doctor "
            "--measure): 10 pairs find 2.7 %, 40 pairs 1.8 %");
  noise.cases.push_back({.launch_sd = 0.04, .found_by_10 = 0.061, .found_by_40 = 0.035});
  noise.others_share = 0.664;
  EXPECT_EQ(to_text(noise),
            "this machine showed 1.2 to 4.0 % between launches on 2026-01-31 while other programs "
            "used 66.4 % (stepbench doctor --measure): 10 pairs find 2.7 to 6.1 %, 40 pairs 1.8 to "
            "3.5 %");
}

}  // namespace
}  // namespace stepbench::verdict
