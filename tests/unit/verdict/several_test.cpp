// SPDX-License-Identifier: Apache-2.0
// Several results, each against the same base.
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/campaign/run_ab.h"
#include "harness/document/render.h"
#include "harness/report/verdicts.h"
#include "tests/testing.h"
#include "tests/unit/verdict/result_maker.h"

namespace stepbench::verdict {
namespace {

MadeResults run_of(double factor, int seed) {
  return {.cases = {{.case_id = "aaaa", .num_workers = 4, .step_ns = around_10_ms(factor, seed)},
                    {.case_id = "bbbb", .num_workers = 8, .step_ns = around_10_ms(1, seed)}}};
}

// The base, and the others with their factors.
std::vector<Comparison> compared(const std::vector<MadeResults>& made,
                                 const CompareOptions& options = {}) {
  std::vector<record::Results> results;
  for (const MadeResults& each : made) results.push_back(make(each));
  std::vector<ComparisonSide> candidates;
  for (std::size_t i = 1; i < results.size(); ++i) {
    candidates.push_back({&results[i], "run" + std::to_string(i)});
  }
  return compare_several({&results[0], "base"}, candidates, options);
}

const TestResult& step_of(const Comparison& comparison, std::size_t place = 0) {
  return comparison.cases.at(place).metrics.at(0).test;
}

TEST(CompareSeveral, OneRun_IsTheComparisonOfTwo) {
  const record::Results base = make(run_of(1, 0));
  const record::Results slow = make(run_of(1.05, 1));
  const ComparisonSide side{&slow, "slow"};
  const std::vector<Comparison> several = compare_several({&base, "base"}, {&side, 1}, {});
  ASSERT_EQ(several.size(), 1U);
  EXPECT_EQ(report::comparison_json(several[0]),
            report::comparison_json(compare({&base, "base"}, side, {})));
}

TEST(CompareSeveral, EachRun_IsAgainstTheBase) {
  const auto all = compared({run_of(1, 0), run_of(1.05, 1), run_of(0.9, 2), run_of(1, 3)});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_NEAR(step_of(all[0]).change.value(), 0.05, 0.003);
  EXPECT_NEAR(step_of(all[1]).change.value(), -0.10, 0.003);
  EXPECT_EQ(all[0].verdict, Verdict::kSuspect);
  EXPECT_EQ(all[0].rejected_slower, 1U);
  EXPECT_EQ(all[1].rejected_faster, 1U);
  EXPECT_EQ(all[2].exit_code, 0);
}

TEST(CompareSeveral, AllTests_AreCorrectedTogether) {
  const auto one = compared({run_of(1, 0), run_of(1.05, 1)});
  const auto three = compared({run_of(1, 0), run_of(1.05, 1), run_of(1, 2), run_of(1, 3)});
  EXPECT_EQ(step_of(one[0]).p, step_of(three[0]).p);
  EXPECT_GT(step_of(three[0]).p_adjusted, step_of(one[0]).p_adjusted);
  for (const Comparison& comparison : three) EXPECT_EQ(comparison.tested, 3 * one[0].tested);
}

TEST(CompareSeveral, WorstRun_Decides) {
  const auto all = compared({run_of(1, 0), run_of(0.9, 2), run_of(1.05, 1), run_of(1.06, 3)});
  EXPECT_EQ(worst_of(all), 1U) << "of equal ones the first";
  EXPECT_EQ(all[worst_of(all)].exit_code, 3);
  MadeResults other = run_of(1, 0);
  other.cases[0].case_id = "cccc";
  const auto missing = compared({run_of(1, 0), run_of(1.05, 1), other});
  EXPECT_EQ(worst_of(missing), 1U);
  EXPECT_EQ(missing[1].exit_code, 4);
}

TEST(CompareSeveral, IncomparableRun_IsNamed) {
  MadeResults smoke = run_of(1, 0);
  smoke.smoke = true;
  EXPECT_THAT(([&] {
                (void)compared({run_of(1, 0), run_of(1, 1), smoke});
              }),
              ThrowsMessage<ConfigError>(HasSubstr("run2: contains a run with --smoke")));
  MadeResults device = run_of(1, 0);
  device.environment["cpu.model"] = Value{std::string("B")};
  EXPECT_THAT(([&] {
                (void)compared({run_of(1, 0), device, run_of(1, 1)});
              }),
              ThrowsMessage<ConfigError>(HasSubstr("run1")));
}

TEST(CompareSeveral, CommonNotes_AreShownOnce) {
  MadeResults kernel = run_of(1, 1);
  kernel.environment["kernel"] = Value{std::string("6.2")};
  MadeResults one = run_of(1, 1);
  one.cases.pop_back();
  const auto all = compared({run_of(1, 0), one, kernel}, {.allow = {"missing"}});
  const std::string text =
      document::render(report::comparison_document(all, false), {.columns = 120});
  EXPECT_THAT(
      text, AllOf(HasSubstr("\nC: warning: kernel differs: 6.1 -> 6.2"), HasSubstr("not measured"),
                  HasSubstr("B: only in base: 1 case, loader (bbbb)")));
  const std::string alike = document::render(
      report::comparison_document(compared({run_of(1, 0), run_of(1, 2), kernel}), false), {});
  const std::string check = "A/A self-check: ";
  EXPECT_EQ(alike.find(check), alike.rfind(check));
}

TEST(CompareSeveral, Json_HoldsAllComparisons) {
  const auto all = compared({run_of(1, 0), run_of(1, 2), run_of(1.05, 1)});
  const auto json = nlohmann::json::parse(report::verdict_json(all));
  EXPECT_EQ(json.at("schema"), "stepbench.verdicts");
  EXPECT_EQ(json.at("exit_code"), 3);
  EXPECT_EQ(json.at("verdict"), "suspect");
  ASSERT_EQ(json.at("comparisons").size(), 2U);
  EXPECT_EQ(json.at("comparisons").at(1), nlohmann::json::parse(report::comparison_json(all[1])));
}

campaign::CompareRequest of(std::string base, std::vector<std::string> candidates) {
  campaign::CompareRequest request;
  request.base = std::move(base);
  request.candidates = std::move(candidates);
  return request;
}

TEST(CompareRequest, OtherBase_IsFoundByPathOrLastPart) {
  const campaign::CompareRequest given = of("results/monday", {"results/tuesday", "x/late"});
  campaign::CompareRequest request = given;
  campaign::choose_base("tuesday", request);
  EXPECT_EQ(request.base, "results/tuesday");
  EXPECT_THAT(request.candidates, ElementsAre("results/monday", "x/late"));
  request = given;
  campaign::choose_base("x/late", request);
  EXPECT_EQ(request.base, "x/late");
  request = given;
  EXPECT_THAT([&] { campaign::choose_base("results/tuesdy", request); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean 'results/tuesday'?")));
  campaign::CompareRequest twins = of("a/run", {"b/run"});
  EXPECT_THAT([&] { campaign::choose_base("run", twins); },
              ThrowsMessage<ConfigError>(HasSubstr("'run' may be a/run or b/run")));
}

TEST(CompareRequest, ThreeResults_MustDiffer) {
  EXPECT_NO_THROW(campaign::refuse_given_twice(of("a", {"a"})))
      << "a result against itself is an A/A check";
  EXPECT_NO_THROW(campaign::refuse_given_twice(of("a", {"b", "c"})));
  EXPECT_THAT(([] {
                campaign::refuse_given_twice(of("a", {"b", "./a/"}));
              }),
              ThrowsMessage<ConfigError>(HasSubstr("./a/: is given twice")));
}

}  // namespace
}  // namespace stepbench::verdict
