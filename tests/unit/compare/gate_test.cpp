// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/gates.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "harness/compare/case_result.h"
#include "harness/compare/comparison.h"
#include "harness/document/render.h"
#include "harness/report/comparison_document.h"
#include "harness/report/comparison_json.h"
#include "tests/unit/compare/result_maker.h"

namespace stepbench::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing_compare::around_10_ms;
using testing_compare::MadeResults;

// Quartiles at 100 -+ spread / 2 per cent of the median.
std::vector<double> spread_by(double percent) {
  std::vector<double> values;
  for (int i = -4; i <= 4; ++i) values.push_back(100 + percent / 4 * i);
  return values;
}

TEST(NoiseGate, WarnsAboveTenAndFailsAboveTwentyFivePerCent) {
  EXPECT_EQ(noise_gate(spread_by(10), "arm a").state, GateState::kPassed);
  EXPECT_EQ(noise_gate(spread_by(11), "arm a").state, GateState::kWarning);
  EXPECT_EQ(noise_gate(spread_by(25), "arm a").state, GateState::kWarning);
  const Gate gate = noise_gate(spread_by(26), "arm B");
  EXPECT_EQ(gate.state, GateState::kFailed);
  EXPECT_NEAR(gate.value, 0.26, 1e-12);
  EXPECT_THAT(
      gate.text,
      HasSubstr("arm B's own launches differ by 26.0 % (limit 25 %): the machine is too busy"));
}

TEST(NoiseGate, FewLaunchesOnlyWarnAndVeryFewSayNothing) {
  EXPECT_EQ(noise_gate(std::vector{100.0, 200.0, 300.0}, "a").state, GateState::kPassed);
  EXPECT_EQ(noise_gate(std::vector{100.0, 200.0, 300.0, 400.0}, "a").state, GateState::kWarning);
  EXPECT_EQ(noise_gate(std::vector{100.0, 200.0, 300.0, 400.0, 500.0}, "a").state,
            GateState::kWarning);
  EXPECT_EQ(noise_gate(std::vector{100.0, 200.0, 300.0, 400.0, 500.0, 600.0}, "a").state,
            GateState::kFailed);
}

TEST(NoiseGate, WhatIsNoNumberIsLeftOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values = spread_by(5);
  values.insert(values.end(), {nan, 0, nan, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(noise_gate(values, "a").state, GateState::kPassed);
  EXPECT_NEAR(noise_gate(values, "a").value, 0.05, 1e-12);
}

std::vector<double> rising(int blocks, double per_block) {
  std::vector<double> levels;
  for (int i = 0; i < blocks; ++i) levels.push_back(std::log1p(per_block) * i);
  return levels;
}

TEST(DriftGate, WarnsAboveTwoAndFailsAboveTenPerCent) {
  const auto gate = [](double per_block) {
    return drift_gate(std::vector<std::vector<double>>{rising(10, per_block)});
  };
  EXPECT_EQ(gate(0.0015).state, GateState::kPassed);
  EXPECT_NEAR(gate(0.0015).value, std::pow(1.0015, 9) - 1, 1e-12) << "told all the same";
  EXPECT_EQ(gate(0.003).state, GateState::kWarning);
  EXPECT_THAT(gate(0.003).text, HasSubstr("2.7 % slower"));
  EXPECT_EQ(gate(-0.003).state, GateState::kWarning);
  EXPECT_THAT(gate(-0.003).text, HasSubstr("2.7 % faster"));
  EXPECT_EQ(gate(0.011).state, GateState::kFailed);
  EXPECT_EQ(gate(-0.012).state, GateState::kFailed);
}

TEST(DriftGate, FiveBlocksAreFourStepsApart) {
  const std::vector<std::vector<double>> five = {rising(5, 0.02)};
  EXPECT_EQ(drift_gate(five).state, GateState::kWarning);
  EXPECT_NEAR(drift_gate(five).value, 0.082, 0.001);
}

TEST(DriftGate, NoiseIsNoDrift) {
  const std::vector<double> noisy = {0, .3, -.2, .1, -.3, .25, -.1, .2, .05, .3};
  EXPECT_EQ(drift_gate(std::vector<std::vector<double>>{noisy}).state, GateState::kPassed);
  EXPECT_EQ(drift_gate(std::vector<std::vector<double>>{rising(3, 0.2)}).state, GateState::kPassed)
      << "three blocks rise by chance";
  EXPECT_EQ(drift_gate({}).state, GateState::kPassed);
  EXPECT_EQ(drift_gate(std::vector<std::vector<double>>{rising(1, 0)}).state, GateState::kPassed);
}

TEST(DriftGate, CasesThatLeftEarlyCountWithTheirBlocks) {
  const std::vector<std::vector<double>> cases = {rising(5, 0.004), rising(20, 0.004),
                                                  rising(5, 0.004)};
  EXPECT_NEAR(drift_gate(cases).value, std::pow(1.004, 19) - 1, 1e-12);
}

TEST(DriftGate, BlocksHoldBothArmsInTheOrderOfTheirNumbers) {
  record::Results a = testing_compare::make(
      {.cases = {{.case_id = "c",
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

TEST(Gates, WhatIsAllowedWarnsInsteadOfFailing) {
  std::vector<Gate> gates = {{.name = "noise", .state = GateState::kFailed},
                             {.name = "drift", .state = GateState::kFailed},
                             {.name = "load", .state = GateState::kPassed}};
  EXPECT_TRUE(fails(gates));
  apply_allowed(std::vector<std::string>{"noise", "load"}, gates);
  EXPECT_EQ(gates[0].state, GateState::kWarning);
  EXPECT_TRUE(gates[0].allowed);
  EXPECT_EQ(gates[2].state, GateState::kPassed);
  EXPECT_TRUE(fails(gates));
  apply_allowed(std::vector<std::string>{"drift"}, gates);
  EXPECT_FALSE(fails(gates));
}

// Two modes 1.5 apart, in the same launches of both sides.
MadeResults noisy(double factor) {
  return {.cases = {{.case_id = "aaaa", .num_workers = 4, .step_ns = [factor](int launch) {
                       return std::llround(1e7 * factor * (launch % 3 == 0 ? 1.5 : 1) *
                                           (1 + 0.001 * (launch % 7)));
                     }}}};
}

Comparison compared(const CompareOptions& options) {
  const record::Results a = testing_compare::make(noisy(1));
  const record::Results b = testing_compare::make(noisy(1.3));
  return compare({&a, "old"}, {&b, "new"}, options);
}

TEST(Gates, NoiseMakesTheVerdictOnTheStepInvalid) {
  const Comparison result = compared({});
  const TestResult& step = result.cases.at(0).metrics.at(0).test;
  EXPECT_EQ(step.verdict, Verdict::kInvalid);
  EXPECT_EQ(step.reason, TestReason::kNoise);
  EXPECT_NEAR(*step.change, 0.3, 0.01) << "the numbers stay";
  EXPECT_EQ(result.exit_code, 4);
  ASSERT_EQ(result.gates.size(), 2U);
  EXPECT_EQ(result.gates[0].case_id, "aaaa");
  Comparison told = result;
  told.judge_again = "stepbench compare old new";
  const std::string table = document::render(report::comparison_document({&told, 1}, true), {});
  EXPECT_THAT(table, HasSubstr("invalid: too noisy"));
  EXPECT_THAT(table,
              HasSubstr("with this as a warning\n  stepbench compare old new --allow noise\n"));
  EXPECT_THAT(document::render(report::comparison_document({&result, 1}, true), {.markdown = true}),
              HasSubstr("the base's own launches differ by 49.8 %"));
  EXPECT_THAT(report::comparison_json(result),
              HasSubstr(R"("gates":[{"name":"noise","case_id":"aaaa",)"
                        R"("state":"failed","allowed":false)"));
}

TEST(Gates, AllowedNoiseLeavesTheVerdict) {
  const Comparison result = compared({.allow = {"noise"}});
  EXPECT_EQ(result.cases.at(0).metrics.at(0).test.verdict, Verdict::kSuspect);
  EXPECT_EQ(result.exit_code, 3);
  const std::string table = document::render(report::comparison_document({&result, 1}, true), {});
  EXPECT_THAT(table, HasSubstr("allowed: "));
  EXPECT_THAT(table, Not(HasSubstr("invalid")));
}

TEST(Gates, OneOfTheCampaignThatFailsMakesTheWholeInvalid) {
  const record::Results a =
      testing_compare::make({.cases = {{.case_id = "aaaa", .step_ns = around_10_ms(1, 0)}}});
  Comparison comparison = compare({&a, "old"}, {&a, "new"}, {});
  comparison.gates = {{.name = "drift", .state = GateState::kWarning}};
  conclude({}, false, comparison);
  EXPECT_EQ(comparison.exit_code, 0);
  comparison.gates[0].state = GateState::kFailed;
  conclude({}, false, comparison);
  EXPECT_EQ(comparison.exit_code, 4);
  EXPECT_EQ(comparison.verdict, Verdict::kInvalid);
  comparison.gates[0].case_id = "aaaa";  // its case's test says it
  conclude({}, false, comparison);
  EXPECT_EQ(comparison.exit_code, 0);
}

TEST(Gates, NoiseOfWhatWasNotMeasuredLeavesItWithoutData) {
  CaseResult one;
  one.metrics.emplace_back();
  std::vector<Gate> gates;
  const record::Results measured = testing_compare::make(noisy(1));
  CasePair pair;
  for (const record::Launch& launch : measured.launches) pair.base.measured.push_back(&launch);
  judge_noise(pair, estimate::step_times(pair.base.measured, {}), "a", "b", {}, one, gates);
  EXPECT_EQ(one.metrics[0].test.verdict, Verdict::kNoData);
  EXPECT_EQ(gates.size(), 1U);
}

TEST(Gates, ManyNoisyCasesAreCounted) {
  MadeResults made = noisy(1);
  for (int i = 0; i < 9; ++i) {
    made.cases.push_back(made.cases[0]);
    made.cases.back().case_id = "case" + std::to_string(i);
  }
  const record::Results a = testing_compare::make(made);
  const std::string table = document::render(
      report::comparison_document(std::vector{compare({&a, "old"}, {&a, "new"}, {})}, true), {});
  EXPECT_THAT(table, HasSubstr("14 more arms of cases differ like that"));
}

TEST(Gates, AQuietComparisonHasNothingToSay) {
  const record::Results a =
      testing_compare::make({.cases = {{.case_id = "aaaa", .step_ns = around_10_ms(1, 0)}}});
  EXPECT_THAT(compare({&a, "old"}, {&a, "new"}, {}).gates, IsEmpty());
}

}  // namespace
}  // namespace stepbench::compare
