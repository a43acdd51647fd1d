// SPDX-License-Identifier: Apache-2.0
// The combined launch of all ranks, as seen by readers of rank 0.
#include "harness/campaign/internal/complete_report.h"

#include "harness/estimate/internal/launch_estimate.h"
#include "harness/traces/compare_traces.h"
#include "harness/verdict/internal/comparability.h"
#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

record::Launch launch_of(int rank, std::vector<std::int64_t> step_ns, std::int64_t samples) {
  record::Launch launch;
  launch.row.key.rank = rank;
  launch.row.world = 2;
  launch.row.outcome = Outcome::measured();
  const std::size_t steps = step_ns.size();
  std::vector<std::int64_t> other = step_ns;
  Series series{
      .names = {"step_ns", "other_ns", "samples"},
      .columns = {std::move(step_ns), std::move(other), std::vector<std::int64_t>(steps, samples)}};
  launch.samples.push_back({0, std::move(series)});
  return launch;
}

TEST(GroupFacts, Group_HasTheSlowestTimeAndAllWork) {
  std::vector<record::Launch> ranks = {launch_of(0, {100, 100}, 8), launch_of(1, {150, 90}, 4)};
  add_group_facts(ranks, {});
  const auto estimate = estimate::estimate_of(ranks[0]);
  EXPECT_EQ(estimate->host_ns, 240);
  EXPECT_EQ(estimate->samples, 24);
  std::int64_t parts_ns = 0;
  for (const estimate::PhaseTime& phase : estimate->phases) parts_ns += phase.ns;
  EXPECT_EQ(parts_ns, 240) << "its parts sum to it";
  EXPECT_EQ(estimate::estimate_of(ranks[1])->samples, 8) << "a rank alone is as it was";
}

// The rank with the highest memory fails first: the group is judged by it.
TEST(GroupFacts, Group_HasTheHighestMemory) {
  std::vector<record::Launch> ranks = {launch_of(0, {100}, 1), launch_of(1, {100}, 1)};
  ranks[0].row.report.metrics = {{"peak_rss_bytes", 100.0}, {"peak_allocated_bytes", 90.0}};
  ranks[1].row.report.metrics = {{"peak_rss_bytes", 400.0}, {"peak_allocated_bytes", 50.0}};
  add_group_facts(ranks, {});
  EXPECT_EQ(ranks[0].row.report.metrics.at("peak_rss_bytes"), 400.0);
  EXPECT_EQ(ranks[0].row.report.metrics.at("peak_allocated_bytes"), 90.0);
  EXPECT_EQ(number_of(ranks[0].row.machine, "rank.peak_rss_bytes"), 100) << "its own";
  EXPECT_EQ(number_of(ranks[1].row.machine, "rank.peak_rss_bytes"), 400);
}

TEST(GroupFacts, Fingerprint_NamesEachRank) {
  std::vector<record::Launch> ranks = {launch_of(0, {100}, 1), launch_of(1, {100}, 1)};
  ranks[0].row.report.fingerprint = {{"loss", 1.0}};
  ranks[1].row.report.fingerprint = {{"loss", 2.0}, {"gradient_norm", Value()}};
  add_group_facts(ranks, {});
  EXPECT_EQ(ranks[0].row.report.fingerprint,
            (Fields{{"loss", 1.0}, {"rank.1.loss", 2.0}, {"rank.1.gradient_norm", Value()}}));
  EXPECT_EQ(ranks[1].row.report.fingerprint.size(), 2U);
  EXPECT_EQ(verdict::fingerprint_words("rank.1.loss"), "loss of rank 1");
  EXPECT_EQ(verdict::fingerprint_words("loss"), "loss");
}

// Two ranks, of which each says whether it was in a process group of both.
std::vector<record::Launch> ranks_that_met(bool first, bool second) {
  std::vector<record::Launch> ranks = {launch_of(0, {100, 100}, 8), launch_of(1, {150, 90}, 4)};
  ranks[0].row.report.schedule["met_ranks"] = first;
  ranks[1].row.report.schedule["met_ranks"] = second;
  add_group_facts(ranks, {});
  return ranks;
}

TEST(GroupFacts, RanksThatNeverMet_HaveNoGroupRate) {
  const std::vector<record::Launch> ranks = ranks_that_met(false, false);
  const record::LaunchReport& first = ranks[0].row.report;
  ASSERT_EQ(first.findings.all().size(), 1U);
  EXPECT_EQ(first.findings.begin()->id, "ranks.apart");
  EXPECT_THAT(first.findings.begin()->text, HasSubstr("the 2 ranks trained apart"));
  EXPECT_FALSE(first.schedule.contains("group_samples"));
  const auto estimate = estimate::estimate_of(ranks[0]);
  EXPECT_FALSE(estimate->samples) << "no rate, so no scaling either";
  EXPECT_EQ(estimate->host_ns, 200) << "of the rank itself";
}

TEST(GroupFacts, RanksThatMet_AreAGroup) {
  for (const bool second : {true, false}) {
    const record::LaunchReport first = ranks_that_met(true, second)[0].row.report;
    EXPECT_TRUE(first.findings.empty()) << "one that has left its group was in it";
    EXPECT_EQ(number_of(first.schedule, "group_samples"), 24);
  }
}

TEST(GroupFacts, MissingTraces_LeaveWaitsUnknown) {
  std::vector<record::Launch> ranks = {launch_of(0, {100}, 1), launch_of(1, {100}, 1)};
  for (record::Launch& launch : ranks) launch.row.key.pass = Pass::kKineto;
  add_group_facts(ranks, {traces::RankTrace{.rank = 0}});
  EXPECT_THAT(ranks[0].row.report.notes.at(0), HasSubstr("who waits for whom is not known"));
  EXPECT_TRUE(ranks[0].row.report.findings.empty());
}

traces::RankReport report_of(std::int64_t slowest_in, std::int64_t steps) {
  traces::RankReport report;
  report.rows = {{.rank = 0, .slowest_in = steps - slowest_in},
                 {.rank = 1, .slowest_in = slowest_in}};
  report.steps = steps;
  report.collectives = steps;
  report.step_ns = 100e6;
  report.straggler = traces::Straggler{
      .rank = 1, .gain_ns = 25e6, .excess_ns = 25e6, .share = 0.25, .part = "idle_data_loading"};
  return report;
}

TEST(StragglerFinding, Text_NamesRankSizeAndCause) {
  const auto finding = traces::straggler_finding(report_of(10, 10));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->text,
            "rank 1 holds the others up by 25.0 ms per step, loading data: it is the slowest in 10 "
            "of 10 profiled steps");
  EXPECT_EQ(finding->value, 25e6);
  EXPECT_EQ(finding->severity, Severity::kProblem) << "a quarter of the step";
  EXPECT_EQ(finding->window, "host_step") << "of traces alone: a timed launch cannot refute it";
}

TEST(StragglerFinding, SmallLoss_IsAWarning) {
  traces::RankReport report = report_of(10, 10);
  report.straggler->part = "idle_unattributed";
  report.straggler->share = 0.1;
  const auto finding = traces::straggler_finding(report);
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->text, HasSubstr("per step, where nothing is recorded: "));
  EXPECT_EQ(finding->severity, Severity::kWarning);
}

TEST(StragglerFinding, ChanceOrNoCollectives_HaveNone) {
  EXPECT_FALSE(traces::straggler_finding(report_of(7, 10))) << "34 in 100 of two equal ranks";
  EXPECT_FALSE(traces::straggler_finding(report_of(6, 6))) << "3 in 100";
  EXPECT_TRUE(traces::straggler_finding(report_of(8, 8)));
  EXPECT_TRUE(traces::straggler_finding(report_of(35, 50)));
  traces::RankReport report = report_of(10, 10);
  report.collectives = 0;
  EXPECT_FALSE(traces::straggler_finding(report)) << "nobody waits";
}

Finding found(const std::string& id, double gain_ns) {
  return {.id = id, .text = id + " said", .gain_ns = gain_ns};
}

TEST(StragglerFinding, LargeOwnCause_IsAddedToTheRemedy) {
  auto finding = traces::straggler_finding(report_of(10, 10));
  ASSERT_TRUE(finding);
  const Finding before = *finding;
  traces::add_own_cause(std::vector{found("small", 12.4e6), Finding{.id = "no gain"}}, *finding);
  EXPECT_EQ(finding->remedy, before.remedy);
  EXPECT_EQ(finding->evidence, before.evidence);
  traces::add_own_cause(std::vector{found("small", 12e6), found("most", 30e6), found("half", 13e6)},
                        *finding);
  EXPECT_EQ(finding->remedy,
            "its own trace says: most said; give its loader more workers, or check the cost of its "
            "part of the data set");
  EXPECT_EQ(finding->evidence.back(), "most");
}

}  // namespace
}  // namespace stepbench::campaign
