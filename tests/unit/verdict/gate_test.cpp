// SPDX-License-Identifier: Apache-2.0
#include <deque>

#include "harness/document/render.h"
#include "harness/estimate/launch_values.h"
#include "harness/record/quality.h"
#include "harness/report/verdicts.h"
#include "harness/verdict/comparison.h"
#include "harness/verdict/internal/gates.h"
#include "tests/testing.h"
#include "tests/unit/stats/noise.h"
#include "tests/unit/verdict/result_maker.h"

namespace stepbench::verdict {
namespace {

// Quartiles at 100 -+ spread / 2 per cent of the median.
std::vector<double> spread_by(double percent) {
  std::vector<double> values;
  for (int i = -4; i <= 4; ++i) values.push_back(100 + percent / 4 * i);
  return values;
}

TEST(NoiseGate, AboveTenPerCent_Warns) {
  const auto state = [](const std::vector<double>& values) {
    return noise_gate(values, "arm a").state;
  };
  EXPECT_EQ(state(spread_by(10)), GateState::kPassed);
  EXPECT_EQ(state(spread_by(11)), GateState::kWarning);
  const Gate gate = noise_gate(spread_by(96), "arm B");
  EXPECT_EQ(gate.state, GateState::kWarning) << "both arms meet it, and their interval has it";
  EXPECT_EQ(gate.fails_at, std::nullopt);
  EXPECT_NEAR(gate.value, 0.96, 1e-12);
  EXPECT_THAT(gate.text, HasSubstr("arm B's own launches differ by 96.0 % (good: below 10 %)"));
  EXPECT_EQ(state({100, 200, 300}), GateState::kPassed) << "three say nothing";
  EXPECT_EQ(state({100, 200, 300, 400}), GateState::kWarning);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values = spread_by(5);
  values.insert(values.end(), {nan, 0, nan, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(state(values), GateState::kPassed);
  EXPECT_NEAR(noise_gate(values, "a").value, 0.05, 1e-12);
}

std::vector<double> rising(int blocks, double per_block) {
  std::vector<double> levels;
  for (int i = 0; i < blocks; ++i) levels.push_back(std::log1p(per_block) * i);
  return levels;
}

Gate drift(std::vector<std::vector<double>> cases) { return drift_gate(cases); }

TEST(DriftGate, AboveTwoPerCent_Warns) {
  const auto gate = [](double per_block) { return drift({rising(10, per_block)}); };
  EXPECT_EQ(gate(0.0015).state, GateState::kPassed);
  EXPECT_NEAR(gate(0.0015).value, std::pow(1.0015, 9) - 1, 1e-12) << "told all the same";
  EXPECT_EQ(gate(0.003).state, GateState::kWarning);
  EXPECT_THAT(gate(0.003).text, HasSubstr("2.7 % slower"));
  EXPECT_EQ(gate(-0.003).state, GateState::kWarning);
  EXPECT_THAT(gate(-0.003).text, HasSubstr("2.7 % faster"));
  EXPECT_EQ(gate(0.24).state, GateState::kWarning) << "the halves of a pair are neighbours";
  EXPECT_EQ(gate(0.24).fails_at, std::nullopt);
  EXPECT_EQ(drift({rising(5, 0.02)}).state, GateState::kWarning);
  EXPECT_NEAR(drift({rising(5, 0.02)}).value, 0.082, 0.001) << "five blocks are four steps apart";
  EXPECT_NEAR(drift({rising(5, 0.004), rising(20, 0.004), rising(5, 0.004)}).value,
              std::pow(1.004, 19) - 1, 1e-12)
      << "cases that left early count with their blocks";
}

TEST(DriftGate, Noise_IsNoDrift) {
  EXPECT_EQ(drift({{0, .3, -.2, .1, -.3, .25, -.1, .2, .05, .3}}).state, GateState::kPassed);
  EXPECT_EQ(drift({rising(3, 0.2)}).state, GateState::kPassed) << "three blocks rise by chance";
  EXPECT_EQ(drift({}).state, GateState::kPassed);
  EXPECT_EQ(drift({rising(1, 0)}).state, GateState::kPassed);
}

TEST(DriftGate, Blocks_HoldBothArmsInOrder) {
  record::Results a =
      make({.cases = {{.case_id = "c",
                       .step_ns = [](int n) { return std::int64_t{1000} * (n < 2 ? 1 : 4); }}},
            .launches = 4});
  record::Results b = a;
  CasePair pair;
  for (std::size_t i = 0; i < 4; ++i) {
    a.launches[i].row.block = static_cast<int>(i / 2);
    pair.base.measured.push_back(&a.launches[i]);
    pair.candidate.measured.push_back(&b.launches[i]);
  }
  const std::vector<double> levels =
      block_levels(pair, estimate::step_times(pair.base.measured, pair.candidate.measured));
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_NEAR(levels[1] - levels[0], std::log(4.0), 1e-12);
}

TEST(Gates, Allowed_WarnsInsteadOfFailing) {
  std::vector<Gate> gates = {{.name = "load", .state = GateState::kFailed},
                             {.name = "clocks", .state = GateState::kFailed},
                             {.name = "steal", .state = GateState::kPassed}};
  apply_allowed(std::vector<std::string>{"load", "steal"}, gates);
  EXPECT_EQ(gates[0].state, GateState::kWarning);
  EXPECT_TRUE(gates[0].allowed);
  EXPECT_EQ(gates[1].state, GateState::kFailed);
  EXPECT_EQ(gates[2].state, GateState::kPassed);
}

// Two modes 1.5 apart, in the same launches of both sides.
MadeResults noisy(double factor) {
  return {.cases = {{.case_id = "aaaa", .num_workers = 4, .step_ns = [factor](int launch) {
                       return std::llround(1e7 * factor * (launch % 3 == 0 ? 1.5 : 1) *
                                           (1 + 0.001 * (launch % 7)));
                     }}}};
}

Comparison compared(const CompareOptions& options) {
  const record::Results a = make(noisy(1));
  const record::Results b = make(noisy(1.3));
  return compare({&a, "old"}, {&b, "new"}, options);
}

TEST(Gates, NoisySides_AreReported) {
  const Comparison result = compared({});
  const TestResult& step = result.cases.at(0).metrics.at(0).test;
  EXPECT_EQ(step.verdict, Verdict::kSuspect) << "as far as one after the other goes";
  EXPECT_NEAR(*step.change, 0.3, 0.01);
  EXPECT_EQ(result.exit_code, 3);
  ASSERT_EQ(result.gates.size(), 2U);
  EXPECT_EQ(result.gates[0].case_id, "aaaa");
  EXPECT_THAT(result.gates[0].text, HasSubstr("the base's own launches differ by 49.8 %"));
  const std::string json = report::comparison_json(result);
  EXPECT_THAT(json, HasSubstr(R"("gates":[{"name":"noise","case_id":"aaaa",)"
                              R"("state":"warning","allowed":false)"));
  EXPECT_EQ(report::comparison_json(compared({.allow = {"noise"}})), json) << "without effect";
}

TEST(Gates, FailedCampaignGate_IsInvalid) {
  const record::Results a = make({.cases = {{.case_id = "aaaa", .step_ns = around_10_ms(1, 0)}}});
  Comparison comparison = compare({&a, "old"}, {&a, "new"}, {});
  EXPECT_THAT(comparison.gates, IsEmpty()) << "it is quiet";
  comparison.gates = {{.name = "clocks", .state = GateState::kWarning}};
  conclude({}, false, comparison);
  EXPECT_EQ(comparison.exit_code, 0);
  comparison.gates[0].state = GateState::kFailed;
  conclude({}, false, comparison);
  EXPECT_EQ(comparison.exit_code, 4);
  EXPECT_EQ(comparison.verdict, Verdict::kInvalid);
  comparison.judge_again = "stepbench compare old new";
  EXPECT_THAT(document::render(report::comparison_document({&comparison, 1}, true), {}),
              HasSubstr("\n  stepbench compare old new --allow clocks\n"));
}

// Ten pairs of one case; a test changes the machine facts of some launches.
class MachineGates : public testing::Test {
 protected:
  MachineGates() : cases_(1) {
    for (int i = 0; i < 10; ++i) {
      for (CaseLaunches* side : {&cases_[0].base, &cases_[0].candidate}) {
        record::Launch& launch = launches_.emplace_back();
        launch.row.wall_ns = 5'000'000'000;
        side->measured.push_back(&launch);
      }
    }
  }
  record::LaunchRow& base(int i) { return launches_[static_cast<std::size_t>(2 * i)].row; }
  record::LaunchRow& candidate(int i) { return launches_[static_cast<std::size_t>(2 * i + 1)].row; }
  // Sets launch i of the base and of the candidate.
  void put(const std::string& field, const std::function<double(int)>& of_base,
           const std::function<double(int)>& of_candidate) {
    for (int i = 0; i < 10; ++i) {
      base(i).machine[field] = of_base(i);
      candidate(i).machine[field] = of_candidate(i);
    }
  }
  void put(const std::string& field, double of_base, double of_candidate) {
    put(
        field, [=](int) { return of_base; }, [=](int) { return of_candidate; });
  }
  [[nodiscard]] std::vector<Gate> gates(Design design = Design::kInterleaved) const {
    return machine_gates(cases_, design);
  }
  static std::vector<std::string> words(const std::vector<Gate>& gates) {
    std::vector<std::string> all;
    for (const Gate& gate : gates)
      all.push_back(gate.name + " " + std::string(name_of(gate.state)));
    return all;
  }
  std::deque<record::Launch> launches_;
  std::vector<CasePair> cases_;
};

double ripple(int i) { return 0.001 * (i % 4); }

TEST_F(MachineGates, QuietMachine_HasNone) {
  EXPECT_THAT(gates(), IsEmpty());
  put("others_cpu_share", ripple, ripple);
  put("steal_share", ripple, [](int i) { return ripple(9 - i); });
  put("gpu.sm_mhz_median", 1980, 1945);
  EXPECT_THAT(gates(), IsEmpty());
}

TEST_F(MachineGates, LoadOnOneArm_Fails) {
  put("others_cpu_share", ripple, [](int i) { return 0.06 + ripple(i); });
  const std::vector<Gate> found = gates();
  ASSERT_THAT(words(found), ElementsAre("load failed"));
  EXPECT_NEAR(found[0].value, 0.06, 1e-12);
  EXPECT_EQ(found[0].fails_at, record::row_of(record::Fact::kOthers).arm_difference);
  EXPECT_THAT(found[0].text, HasSubstr("0.13 % in arm A, 6.1 % in arm B"));
  EXPECT_THAT(words(gates(Design::kSequential)), ElementsAre("load warning"));
  put(
      "others_cpu_share", [](int i) { return 0.07 + ripple(i); }, ripple);
  EXPECT_THAT(words(gates()), ElementsAre("load failed")) << "the base counts as well";
}

TEST_F(MachineGates, SmallOrChanceDifference_Passes) {
  put("others_cpu_share", ripple, [](int i) { return 0.04 + ripple(i); });
  EXPECT_THAT(gates(), IsEmpty()) << "certain and small";
  put(
      "others_cpu_share", [](int i) { return i % 2 == 0 ? 0.4 : 0.0; },
      [](int i) { return i % 2 == 0 ? 0.0 : 0.5; });
  EXPECT_THAT(gates(), IsEmpty()) << "large and by chance";
}

TEST_F(MachineGates, HalfUsedByOthers_Warns) {
  put("others_cpu_share", 0.499, 0.499);
  EXPECT_THAT(gates(), IsEmpty());
  put("others_cpu_share", 0.5, 0.5);
  EXPECT_THAT(words(gates()), ElementsAre("load warning"));
  put(
      "others_cpu_share", [](int i) { return 0.6 + ripple(i); },
      [](int i) { return 0.6 + ripple(9 - i); });
  const std::vector<Gate> found = gates();
  ASSERT_THAT(words(found), ElementsAre("load warning"));
  EXPECT_THAT(found[0].text, HasSubstr("others used 60.1 % of its CPU time"));
}

TEST_F(MachineGates, StealInOneArm_FailsAndInBothWarns) {
  put("steal_share", ripple, [](int i) { return 0.03 + ripple(i); });
  EXPECT_THAT(words(gates()), ElementsAre("steal failed"));
  put("steal_share", 0.009, 0.009);
  EXPECT_THAT(gates(), IsEmpty());
  for (int i = 0; i < 3; ++i) base(i).machine["steal_share"] = 0.01;
  const std::vector<Gate> found = gates();
  ASSERT_THAT(words(found), ElementsAre("steal warning"));
  EXPECT_THAT(
      found[0].text,
      HasSubstr("in 3 of 20 launches the hypervisor took CPU time away (3 of arm A, 0 of arm B)"));
  base(2).machine["steal_share"] = 0.009;
  EXPECT_THAT(gates(), IsEmpty()) << "two of twenty";
}

TEST_F(MachineGates, TickShares_NeedASecond) {
  for (const char* share : {"steal_share", "others_cpu_share"}) {
    put(share, ripple, [](int i) { return 0.8 + ripple(i); });
  }
  EXPECT_THAT(gates(), SizeIs(2));
  for (record::Launch& launch : launches_) launch.row.wall_ns = 999'999'999;
  EXPECT_THAT(gates(), IsEmpty());
}

TEST_F(MachineGates, WaitOrQuotaOfOneArm_Warns) {
  put("window_ns", 1e9, 1e9);
  put(
      "window_run_queue_wait_ns", [](int) { return 1e6; }, [](int i) { return 5e7 + i; });
  EXPECT_THAT(words(gates()), ElementsAre("waiting warning"));
  put("window_run_queue_wait_ns", 1e6, 1e6);
  put(
      "cgroup_throttled_ns", [](int) { return 0; }, [](int i) { return 1e9 + i; });
  EXPECT_THAT(words(gates()), ElementsAre("quota warning"));
}

TEST_F(MachineGates, NoWindows_UseTheWholeWait) {
  put(
      "run_queue_wait_ns", [](int) { return 1e6; }, [](int i) { return 1e9 + i; });
  EXPECT_THAT(words(gates()), ElementsAre("waiting warning"));
}

TEST_F(MachineGates, ThrottledLaunch_WarnsAndArmFails) {
  for (record::Launch& launch : launches_) launch.row.machine["gpu.throttled"] = std::string("no");
  EXPECT_THAT(gates(), IsEmpty());
  const Value hot = std::string("hardware thermal slowdown");
  candidate(4).machine["gpu.throttled"] = hot;
  EXPECT_THAT(words(gates()), ElementsAre("throttling warning"));
  for (int i = 0; i < 10; ++i) candidate(i).machine["gpu.throttled"] = hot;
  EXPECT_THAT(words(gates()), ElementsAre("throttling failed"));
  for (int i = 0; i < 10; ++i) base(i).machine["gpu.throttled"] = hot;
  EXPECT_THAT(words(gates()), ElementsAre("throttling warning")) << "both alike";
}

TEST_F(MachineGates, ClocksTwoPercentApart_Fail) {
  put("gpu.sm_mhz_median", 1980, 1935);
  const std::vector<Gate> found = gates();
  ASSERT_THAT(words(found), ElementsAre("clocks failed"));
  EXPECT_THAT(found[0].text, HasSubstr("1980 MHz in arm A and 1935 MHz in arm B"));
  EXPECT_THAT(words(gates(Design::kSequential)), ElementsAre("clocks warning"));
}

TEST_F(MachineGates, PowerLimitedClocks_Warn) {
  put("gpu.sm_mhz_median", 1980, 1700);
  put("gpu.power_capped_share", 0.0, 0.04);
  EXPECT_THAT(words(gates()), ElementsAre("clocks failed")) << "capped for a moment";
  put("gpu.power_capped_share", 0.0, 0.9);
  const std::vector<Gate> found = gates();
  ASSERT_THAT(words(found), ElementsAre("clocks warning"));
  EXPECT_THAT(found[0].text, HasSubstr("1980 MHz in arm A and 1700 MHz in arm B"));
  EXPECT_THAT(found[0].text, HasSubstr("at its power limit"));
}

TEST_F(MachineGates, OneUnwatchedArm_Warns) {
  put("others_cpu_share", ripple, ripple);
  EXPECT_THAT(gates(), IsEmpty());
  for (int i = 0; i < 10; ++i) candidate(i).machine = {};
  const std::vector<Gate> found = gates();
  ASSERT_THAT(words(found), ElementsAre("load warning"));
  EXPECT_EQ(found[0].text, "CPU time that others used was not watched in arm B");
}

TEST_F(MachineGates, PairsWithoutAReading_AreDropped) {
  put("others_cpu_share", ripple, [](int i) { return 0.1 + ripple(i); });
  for (int i = 0; i < 4; ++i) base(i).machine = {};
  EXPECT_THAT(gates(), IsEmpty()) << "six pairs cannot tell";
}

TEST_F(MachineGates, OnePair_NeedsFourTimesTheDifference) {
  const auto alike = [&](const char* name, double a, double b) {
    put(name, a, b);
    return is_even(base(0), candidate(0));
  };
  EXPECT_TRUE(is_even(base(0), candidate(0))) << "what was not watched";
  EXPECT_TRUE(alike("others_cpu_share", 0.5, 0.69));
  EXPECT_FALSE(alike("others_cpu_share", 0.5, 0.71));
  EXPECT_FALSE(alike("others_cpu_share", 0.71, 0.5));
  EXPECT_TRUE(alike("others_cpu_share", 0, 0));
  EXPECT_FALSE(alike("steal_share", 0, 0.05));
  EXPECT_TRUE(alike("steal_share", 0.3, 0.3)) << "both met it";
  EXPECT_FALSE(alike("gpu.sm_mhz_median", 1980, 1700));
  put("gpu.power_capped_share", 0.0, 0.9);
  EXPECT_TRUE(is_even(base(0), candidate(0))) << "the program decides its clock";
  base(0).machine["gpu.throttled"] = std::string("no");
  candidate(0).machine["gpu.throttled"] = std::string("hardware thermal slowdown");
  EXPECT_FALSE(is_even(base(0), candidate(0)));
}

// Launches with steps chosen by the test.
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

TEST(WindowSpread, LongWindows_PredictTheLaunchSpread) {
  Arm arm;
  for (std::uint64_t i = 0; i < 20; ++i) arm.add(Noise(i).autoregressive(100, 0, 0.3));
  ASSERT_TRUE(arm.spread());
  EXPECT_NEAR(arm.spread()->relative_sd, 0.03, 0.008);
  EXPECT_EQ(arm.spread()->steps, 100);
}

TEST(WindowSpread, LockstepWorkers_AreBlockedByTurns) {
  Arm by_turns;
  Arm by_steps;
  for (std::uint64_t i = 0; i < 20; ++i) {
    by_turns.add(Noise(i).lockstep(20, 8, 0.05), 8);
    by_steps.add(Noise(i).lockstep(2, 8, 0.05), 0);
  }
  EXPECT_NEAR(by_turns.spread()->relative_sd, 0.05 / std::sqrt(20), 0.004);
  EXPECT_GT(by_steps.spread()->relative_sd, 0.5) << "single steps would predict nonsense";
}

TEST(WindowSpread, FewSteps_HaveNone) {
  Arm arm;
  arm.add({1, 2, 3, 4, 5});
  EXPECT_FALSE(arm.spread());
  EXPECT_FALSE(Arm().spread());
}

TEST(NoiseGate, SpreadOfBlocks_AsksForALongerWindow) {
  Arm arm;
  for (std::uint64_t i = 0; i < 30; ++i) arm.add(Noise(i).autoregressive(20, 0, 0.5));
  const Gate gate = arm.gate();
  EXPECT_NE(gate.state, GateState::kPassed);
  EXPECT_THAT(gate.text, HasSubstr("their windows are too short for steps that vary so much"));
  EXPECT_THAT(gate.text, HasSubstr(" steps per launch instead of 20"));
  EXPECT_THAT(gate.text, Not(HasSubstr("machine")));
}

// With the proposed number of steps, the launches are within the limit.
TEST(NoiseGate, ProposedSteps_AreEnough) {
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

TEST(NoiseGate, OtherSpread_IsTheMachines) {
  Arm arm;
  for (std::uint64_t i = 0; i < 30; ++i) {
    arm.add(Noise(i).autoregressive(50, 0, 0.02), 0, i % 3 == 0 ? 1.5 : i % 3 == 1 ? 1.2 : 1);
  }
  const Gate gate = arm.gate();
  EXPECT_EQ(gate.state, GateState::kWarning);
  EXPECT_THAT(gate.text, HasSubstr("short windows alone would give 0.42 %"));
  EXPECT_THAT(gate.text, HasSubstr("the rest is the machine's"));
  EXPECT_THAT(gate.text, Not(HasSubstr("windows are too short")));
}

}  // namespace
}  // namespace stepbench::verdict
