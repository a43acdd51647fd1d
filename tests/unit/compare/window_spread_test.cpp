// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/window_spread.h"

#include <gmock/gmock.h>

#include <deque>
#include <numeric>

#include "harness/compare/gates.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::compare {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_noise::Noise;

// Launches whose steps a test chooses.
class Arm {
 public:
  void add(const std::vector<double>& steps, std::int64_t workers = 0, double factor = 1) {
    record::Launch& launch = launches_.emplace_back();
    launch.row.options["loader.num_workers"] = workers;
    std::vector<std::int64_t> step_ns;
    for (const double step : steps) step_ns.push_back(std::llround(1000 * step * factor));
    const std::int64_t sum = std::accumulate(step_ns.begin(), step_ns.end(), std::int64_t{0});
    means_.push_back(static_cast<double>(sum) / static_cast<double>(step_ns.size()));
    launch.samples.push_back(
        {.steps = {.names = {"index", "step_ns"},
                   .columns = {std::vector<std::int64_t>(step_ns.size()), step_ns}}});
    pointers_.push_back(&launch);
  }
  [[nodiscard]] std::optional<WindowSpread> spread() const { return window_spread(pointers_); }
  [[nodiscard]] Gate gate() const { return noise_gate(means_, "arm a", spread()); }

 private:
  std::deque<record::Launch> launches_;
  std::vector<const record::Launch*> pointers_;
  std::vector<double> means_;
};

TEST(WindowSpread, PredictsHowFarLaunchesLieApart) {
  Arm arm;
  for (std::uint64_t i = 0; i < 20; ++i) arm.add(Noise(i).autoregressive(100, 0, 0.3));
  ASSERT_TRUE(arm.spread());
  EXPECT_NEAR(arm.spread()->relative_sd, 0.03, 0.008);
  EXPECT_EQ(arm.spread()->steps, 100);
}

TEST(WindowSpread, WorkersInLockstepAreTakenByTurns) {
  Arm by_turns;
  Arm by_steps;
  for (std::uint64_t i = 0; i < 20; ++i) {
    by_turns.add(Noise(i).lockstep(20, 8, 0.05), 8);
    by_steps.add(Noise(i).lockstep(2, 8, 0.05), 0);
  }
  EXPECT_NEAR(by_turns.spread()->relative_sd, 0.05 / std::sqrt(20), 0.004);
  EXPECT_GT(by_steps.spread()->relative_sd, 0.5) << "single steps would predict nonsense";
}

TEST(WindowSpread, FewStepsTellNothing) {
  Arm arm;
  arm.add({1, 2, 3, 4, 5});
  EXPECT_FALSE(arm.spread());
  EXPECT_FALSE(Arm().spread());
}

TEST(NoiseGate, SpreadThatBlocksExplainAsksForALongerWindow) {
  Arm arm;
  for (std::uint64_t i = 0; i < 30; ++i) arm.add(Noise(i).autoregressive(20, 0, 0.5));
  const Gate gate = arm.gate();
  EXPECT_NE(gate.state, GateState::kPassed);
  EXPECT_THAT(gate.text, HasSubstr("their windows are too short for steps that vary so much"));
  EXPECT_THAT(gate.text, HasSubstr(" steps per launch instead of 20"));
  EXPECT_THAT(gate.text, Not(HasSubstr("machine")));
}

// With as many steps as it asks for, the launches do lie within the limit.
TEST(NoiseGate, TheStepsItAsksForWouldDo) {
  Arm arm;
  for (std::uint64_t i = 0; i < 30; ++i) arm.add(Noise(i).autoregressive(20, 0, 0.5));
  const std::string text = arm.gate().text;
  const std::string before = "about ";
  const int steps = std::stoi(text.substr(text.find(before) + before.size()));
  EXPECT_GT(steps, 20);
  EXPECT_LT(steps, 200);
  Arm longer;
  for (std::uint64_t i = 100; i < 200; ++i) {
    longer.add(Noise(i).autoregressive(static_cast<std::size_t>(2 * steps), 0, 0.5));
  }
  EXPECT_EQ(longer.gate().state, GateState::kPassed) << "with a reserve of two";
}

TEST(NoiseGate, SpreadThatBlocksDoNotExplainIsTheMachines) {
  Arm arm;
  for (std::uint64_t i = 0; i < 30; ++i) {
    arm.add(Noise(i).autoregressive(50, 0, 0.02), 0, i % 3 == 0 ? 1.5 : i % 3 == 1 ? 1.2 : 1);
  }
  const Gate gate = arm.gate();
  EXPECT_EQ(gate.state, GateState::kFailed);
  EXPECT_THAT(gate.text, HasSubstr("short windows alone would give 0.42 %"));
  EXPECT_THAT(gate.text, HasSubstr("the rest is the machine's"));
  EXPECT_THAT(gate.text, Not(HasSubstr("windows are too short")));
}

}  // namespace
}  // namespace stepbench::compare
