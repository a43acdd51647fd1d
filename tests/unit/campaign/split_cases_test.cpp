// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/nightly.h"

#include "harness/nights/internal/import.h"
#include "harness/plan/plan.h"
#include "tests/testing.h"
#include "workloads/built_in.h"

namespace stepbench::campaign {
namespace {

constexpr const char* kSweep =
    "workload: loader\ndata: {kind: synthetic}\n"
    "loader: {engine: thread, batch_size: 8}\n"
    "sweep: {matrix: {loader.num_workers: [0, 2]}}\n";

std::vector<ResolvedCase> cases_of(std::span<const WorkloadRule> rules) {
  std::vector<ResolvedCase> cases;
  for (plan::PlannedCase& planned :
       plan::make_plan({.file = "sweep.yaml", .text = kSweep}, built_in_catalogue(), rules).cases) {
    cases.push_back(std::move(planned.resolved));
  }
  return cases;
}

nights::History history_of(const std::vector<ResolvedCase>& cases) {
  nights::History history;
  for (const ResolvedCase& one : cases) {
    history.series.push_back(
        {.series = {.workload = one.workload,
                    .case_id = one.case_id,
                    .metric = "step_ns",
                    .options = nights::naming_options(one.options, {"loader.num_workers"},
                                                      built_in_catalogue())}});
  }
  return history;
}

TEST(SplitCases, CaseBeforeTheRules_JoinsTheirCase) {
  const std::vector<ResolvedCase> before = cases_of({});
  const std::vector<ResolvedCase> now = cases_of(built_in_rules());
  const auto found = split_cases(history_of(before), built_in_catalogue(), built_in_rules());
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].from, before[0].case_id);
  EXPECT_EQ(found[0].into, now[0].case_id);
  EXPECT_EQ(found[0].options, history_of(now).series[0].series.options);
  EXPECT_EQ(before[1].case_id, now[1].case_id) << "workers were threads before, too";
}

TEST(SplitCases, CurrentAndForeignCases_StayApart) {
  nights::History history = history_of(cases_of(built_in_rules()));
  EXPECT_THAT(split_cases(history, built_in_catalogue(), built_in_rules()), IsEmpty());
  history = history_of(cases_of({}));
  for (nights::SeriesHistory& one : history.series) one.series.workload = "of_mine";
  EXPECT_THAT(split_cases(history, built_in_catalogue(), built_in_rules()), IsEmpty());
  history = history_of(cases_of({}));
  // This id does not follow from the options, so nothing is proven.
  for (nights::SeriesHistory& one : history.series) one.series.case_id = "0123456789abcdef";
  EXPECT_THAT(split_cases(history, built_in_catalogue(), built_in_rules()), IsEmpty());
}

}  // namespace
}  // namespace stepbench::campaign
