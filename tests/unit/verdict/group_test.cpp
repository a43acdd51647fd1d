// SPDX-License-Identifier: Apache-2.0
// Groups of ranks in verdicts: the rank that changed, and its cause.
#include "harness/document/render.h"
#include "harness/findings/finding.h"
#include "harness/report/verdicts.h"
#include "harness/verdict/comparison.h"
#include "tests/testing.h"
#include "tests/unit/verdict/result_maker.h"

namespace stepbench::verdict {
namespace {

constexpr double kMs = 1e6;

// Three ranks that leave each step together, each waiting for data for its own time; `other` is the
// rest, including the wait for the other ranks.
record::Results group(double factor, int seed, const std::vector<double>& data_wait_ms) {
  record::Results results;
  for (std::size_t rank = 0; rank < data_wait_ms.size(); ++rank) {
    MadeResults made{.cases = {{.case_id = "aaaa", .step_ns = around_10_ms(factor, seed)}}};
    made.cases[0].data_wait_ns = [&, rank](int) {
      return static_cast<std::int64_t>(data_wait_ms[rank] * kMs);
    };
    record::Results of_rank = make(made);
    for (record::Launch& launch : of_rank.launches) {
      launch.row.key.rank = static_cast<int>(rank);
      launch.row.world = static_cast<int>(data_wait_ms.size());
    }
    if (rank == 0) {
      results = std::move(of_rank);
    } else {
      results.launches.insert(results.launches.end(), of_rank.launches.begin(),
                              of_rank.launches.end());
    }
  }
  return results;
}

void add_profile(record::Results& results, const std::string& straggler) {
  record::Launch launch = results.launches.front();
  launch.row.key.pass = Pass::kKineto;
  launch.row.report.metrics["own_work_ns"] = 1;
  if (!straggler.empty()) {
    launch.row.report.findings.push_back({.id = kStragglerFinding, .text = straggler});
  }
  results.launches.push_back(std::move(launch));
}

Comparison compared(const record::Results& base, const record::Results& candidate) {
  return compare({&base, "old"}, {&candidate, "new"}, {});
}

TEST(GroupVerdict, SlowRank_IsSeparatedFromWaiters) {
  const Comparison result = compared(group(1, 0, {1, 1, 1}), group(1.1, 1, {1, 2, 1}));
  const CaseResult& one = result.cases.at(0);
  EXPECT_NEAR(one.metrics.at(0).test.change.value(), 0.1, 0.003);
  ASSERT_EQ(one.cause.size(), 2);
  for (const PhaseChange& change : one.cause) {
    const bool waits = change.phase == "other";
    EXPECT_EQ(phase_text(change), waits ? "other on ranks 0 and 2" : "data_wait on rank 1");
    EXPECT_NEAR(change.change_ns, kMs, 0.03 * kMs);
    EXPECT_NEAR(change.share, 1, 0.03);
  }
  EXPECT_THAT(document::render(report::comparison_document({&result, 1}, false), {}),
              AllOf(HasSubstr("data_wait on rank 1 +1.00"),
                    HasSubstr("ranks wait for the last one inside collectives"),
                    HasSubstr("--profile shows which rank is late")));
  EXPECT_THAT(report::comparison_json(result), HasSubstr(R"("ranks":[0,2])"));
}

TEST(GroupVerdict, AllRanksChanged_AreOneCause) {
  const Comparison all = compared(group(1, 0, {1, 1, 1}), group(1.1, 1, {2, 2, 2}));
  ASSERT_EQ(all.cases.at(0).cause.size(), 1);
  EXPECT_EQ(phase_text(all.cases.at(0).cause[0]), "data_wait on all ranks");
  EXPECT_THAT(all.cases.at(0).waiting_ranks, IsEmpty());
  const Comparison same = compared(group(1, 0, {1, 2, 1}), group(1, 0, {1, 2, 1}));
  EXPECT_THAT(same.cases.at(0).cause, IsEmpty());
  EXPECT_EQ(same.verdict, Verdict::kOk);
}

TEST(GroupVerdict, ProfiledLaunches_NameTheLateRank) {
  record::Results base = group(1, 0, {1, 1, 1});
  record::Results candidate = group(1.1, 1, {1, 2, 1});
  add_profile(base, "");
  add_profile(candidate, "rank 1 holds the others up by 1.00 ms per step, loading data");
  const Comparison result = compared(base, candidate);
  EXPECT_THAT(result.cases.at(0).waiting_ranks,
              ElementsAre("profiled before: no rank holds the others up",
                          "profiled after: rank 1 holds the others up by 1.00 ms per step, loading "
                          "data"));
}

}  // namespace
}  // namespace stepbench::verdict
