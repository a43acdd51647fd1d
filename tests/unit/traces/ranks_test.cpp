// SPDX-License-Identifier: Apache-2.0
// Jobs of several ranks with one that is slower by a known time: it is named with its size and the
// part of its step that causes it.
#include "harness/document/render.h"
#include "harness/report/result_tables.h"
#include "harness/report/trace_analysis.h"
#include "harness/traces/compare_traces.h"
#include "tests/testing.h"
#include "tests/unit/traces/trace_maker.h"

namespace stepbench::traces {
namespace {

constexpr std::int64_t kSince1970 = 1'700'000'000'000'000'000;
constexpr std::int64_t kReduceNs = 5 * kMillisecond;

struct RankJob {
  std::int64_t ranks = 4;
  std::int64_t steps = 8;
  std::map<std::int64_t, std::int64_t> slow_loading_ns = {};  // by rank
  std::map<std::int64_t, std::int64_t> slow_compute_ns = {};
  bool takes_turns = false;  // the slow rank changes in each step
  bool communicates = true;
  bool on_device = true;
  std::string host = "node1";
  std::int64_t clock_apart_ns = 0;  // of rank 1
};

// Every step: loading data for 10 ms, computing for 40, an all-reduce that all ranks leave
// together.
traces::Trace trace_of_rank(const RankJob& job, std::int64_t rank) {
  TraceMaker trace;
  traces::Trace& header = trace.builder.trace();
  header.rank = rank;
  header.world = job.ranks;
  header.host_name = job.host;
  header.base_ns = kSince1970 + (rank == 1 ? job.clock_apart_ns : 0);
  const auto extra = [&](const auto& by_rank, std::int64_t of, std::int64_t number) {
    if (job.takes_turns) return number % job.ranks == of ? 10 * kMillisecond : std::int64_t{0};
    const auto found = by_rank.find(of);
    return found == by_rank.end() ? std::int64_t{0} : found->second;
  };
  std::int64_t at_ns = 1'000'000'000;
  for (std::int64_t number = 0; number < job.steps; ++number) {
    const auto until_reduce = [&](std::int64_t of) {
      return 50 * kMillisecond + extra(job.slow_loading_ns, of, number) +
             (job.takes_turns ? 0 : extra(job.slow_compute_ns, of, number));
    };
    std::int64_t last_ns = 0;
    for (std::int64_t of = 0; of < job.ranks; ++of) last_ns = std::max(last_ns, until_reduce(of));
    const std::int64_t own_ns = until_reduce(rank);
    const std::int64_t loading_ns = 10 * kMillisecond + extra(job.slow_loading_ns, rank, number);
    const std::int64_t end_ns = job.communicates ? last_ns + kReduceNs : own_ns;
    trace.step(number, at_ns, at_ns + end_ns);
    trace.loading(at_ns, at_ns + loading_ns);
    trace.op("aten::conv2d", at_ns + loading_ns, at_ns + own_ns);
    if (job.on_device) {
      trace.called(trace.kernel("sgemm", at_ns + loading_ns + 10, at_ns + own_ns),
                   "cudaLaunchKernel", at_ns + loading_ns + 1, at_ns + loading_ns + 5);
    }
    if (job.communicates && job.on_device) {
      trace.called(trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", at_ns + own_ns,
                                at_ns + end_ns, 30),
                   "cudaLaunchKernel", at_ns + own_ns - 9, at_ns + own_ns - 5);
    } else if (job.communicates) {
      trace.row(trace.main, traces::EventKind::kAnnotation, "gloo:all_reduce", at_ns + own_ns,
                at_ns + end_ns);
    }
    at_ns += end_ns;
  }
  return trace.finish();
}

RankTrace rank_of(const RankJob& job, std::int64_t rank) {
  const traces::Trace trace = trace_of_rank(job, rank);
  return *rank_trace("rank" + std::to_string(rank) + ".json", trace, analyse(trace));
}

std::vector<RankTrace> all_ranks(const RankJob& job) {
  std::vector<RankTrace> ranks;
  for (std::int64_t rank = 0; rank < job.ranks; ++rank) ranks.push_back(rank_of(job, rank));
  return ranks;
}

struct Slow {
  RankJob job;
  std::int64_t rank;  // -1: none is named
  double gain_ms;     // against the next slowest
  double excess_ms;   // against the median
  const char* part;
};

TEST(Ranks, SlowerRank_IsNamedWithSizeAndPart) {
  const Slow kSlow[] = {
      {{.slow_loading_ns = {{2, 7 * kMillisecond}}}, 2, 7, 7, "idle_data_loading"},
      {{.slow_loading_ns = {{2, 7 * kMillisecond}}, .on_device = false},
       2,
       7,
       7,
       "idle_data_loading"},
      {{.slow_loading_ns = {{0, 2 * kMillisecond}}, .slow_compute_ns = {{3, 9 * kMillisecond}}},
       3,
       7,
       9,
       "compute"},
      {{.slow_compute_ns = {{1, 10 * kMillisecond}}, .communicates = false}, 1, 10, 10, "compute"},
      {{}, -1, 0, 0, ""},
      {{.takes_turns = true}, -1, 0, 0, ""},
      {{.slow_compute_ns = {{1, kMillisecond / 2}}}, -1, 0, 0, ""},  // less than 1 % of the step
  };
  for (const Slow& each : kSlow) {
    const RankReport report = compare_ranks(all_ranks(each.job));
    ASSERT_EQ(report.straggler.has_value(), each.rank >= 0);
    EXPECT_EQ(report.collectives, each.job.communicates ? 6 : 0);
    if (!report.straggler) continue;
    EXPECT_EQ(report.straggler->rank, each.rank);
    EXPECT_NEAR(report.straggler->gain_ns, each.gain_ms * kMillisecond, 100);
    EXPECT_NEAR(report.straggler->excess_ns, each.excess_ms * kMillisecond, 100);
    EXPECT_EQ(report.straggler->part, each.part);
    EXPECT_NEAR(report.straggler->part_ns, each.excess_ms * kMillisecond, 100);
  }
}

TEST(Ranks, OneSlowRank_MakesOthersWait) {
  const RankReport report = compare_ranks(all_ranks({.slow_loading_ns = {{2, 7 * kMillisecond}}}));
  EXPECT_EQ(report.steps, 6);
  EXPECT_EQ(report.rows[2].entered_last, 6);
  EXPECT_EQ(report.rows[2].slowest_in, 6);
  EXPECT_NEAR(report.rows[2].wait_ns, 0, 1);
  EXPECT_NEAR(report.rows[0].wait_ns, 7.0 * kMillisecond, 100) << "it waits for rank 2";
  EXPECT_NEAR(report.rows[0].step_ns, report.rows[2].step_ns, 1) << "all steps are as long";
  EXPECT_NEAR(report.rows[0].exposed_ns, 12.0 * kMillisecond, 100);
  EXPECT_NEAR(report.rows[2].exposed_ns, 5.0 * kMillisecond, 100);
  EXPECT_NEAR(report.rows[2].hidden_share.value_or(1), 0, 1e-6);
  EXPECT_TRUE(report.warnings.empty());
}

// Rank 3 is the slowest: all wait for it only.
TEST(Ranks, LastToEnter_IsWaitedFor) {
  const RankReport report = compare_ranks(all_ranks(
      {.slow_loading_ns = {{0, 2 * kMillisecond}}, .slow_compute_ns = {{3, 9 * kMillisecond}}}));
  constexpr double kMilli = kMillisecond;
  const double waits_ns[] = {7 * kMilli, 9 * kMilli, 9 * kMilli, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(report.rows[i].waits_for_ns[3], waits_ns[i], 100) << i;
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(report.rows[i].waits_for_ns[j], 0, 1);
  }
  const report::WaitMatrix matrix = report::wait_matrix(report);
  EXPECT_EQ(matrix.most_waited_for(), 3);
  const auto table = report::wait_table(matrix);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows[1].cells.back().text, "9.00") << "the sum of a line";
  ASSERT_EQ(report.lanes.size(), 4);
  EXPECT_NEAR(double(report.lanes[1].waits.length_ns()), 9 * kMilli, 100);
  EXPECT_NEAR(double(report.lanes[1].exchanges.length_ns()), kReduceNs, 100);
  EXPECT_EQ(report.lanes[3].waits.length_ns(), 0);
  EXPECT_NEAR(double(report.lanes[3].step.length_ns()), 64 * kMilli, 100);
}

// Each rank waits for different others in different steps.
TEST(Ranks, WaitsForSeveral_SumToTheWait) {
  const RankReport report = compare_ranks(all_ranks({.takes_turns = true}));
  for (const RankRow& row : report.rows) {
    double sum_ns = 0;
    for (const double ns : row.waits_for_ns) sum_ns += ns;
    EXPECT_NEAR(sum_ns, row.wait_ns, 1);
    EXPECT_GT(row.wait_ns, 0);
  }
}

TEST(Ranks, ManyRanks_ShowTheLongestWaits) {
  report::WaitMatrix matrix;
  for (std::int64_t rank = 0; rank < 12; ++rank) {
    matrix.ranks.push_back(rank);
    matrix.ns.emplace_back(12, 0.0).at(11) = rank == 11 ? 0.0 : double(rank + 1) * kMillisecond;
  }
  const auto table = report::wait_table(matrix);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows.size(), 11);
  EXPECT_EQ(table->rows[0].cells[0].text, "10");
  EXPECT_EQ(table->rows[0].cells[1].text, "11");
  EXPECT_EQ(table->rows[0].cells[2].text, "11.0");
}

TEST(Ranks, NoCommonStep_IsReported) {
  std::vector<RankTrace> ranks = all_ranks({.ranks = 2});
  for (RankStep& step : ranks[1].steps) step.number += 100;
  const document::Document made = report::ranks_document(compare_ranks(ranks), 10);
  EXPECT_THAT(made.answer.text,
              HasSubstr("slowest rank unknown: no step is in the traces of all ranks"));
}

// Rank 1 computes 40 ms longer in each step; `add` adds the communication of a rank that enters it
// at `from` and leaves it at `to`.
using Exchange =
    std::function<void(TraceMaker&, std::int64_t rank, std::int64_t from, std::int64_t to)>;

constexpr std::int64_t kLateNs = 40 * kMillisecond;

RankTrace exchanging(std::int64_t rank, std::int64_t world, const Exchange& add, bool on_device) {
  TraceMaker trace;
  trace.builder.trace().rank = rank;
  trace.builder.trace().world = world;
  std::int64_t at_ns = 1'000'000'000;
  for (std::int64_t number = 0; number < 6; ++number) {
    const std::int64_t all_left_ns = at_ns + 60 * kMillisecond;
    const std::int64_t own_ns = 10 * kMillisecond + (rank == 1 ? kLateNs : 0);
    trace.step(number, at_ns, all_left_ns);
    trace.op("aten::mm", at_ns, at_ns + own_ns);
    if (on_device) {
      trace.called(trace.kernel("sgemm", at_ns + 10, at_ns + own_ns), "cudaLaunchKernel", at_ns + 1,
                   at_ns + 5);
    }
    add(trace, rank, at_ns + own_ns, all_left_ns);
    at_ns = all_left_ns;
  }
  const traces::Trace made = trace.finish();
  return *rank_trace("rank" + std::to_string(rank) + ".json", made, analyse(made));
}

RankReport exchanged(std::int64_t world, const Exchange& add, bool on_device = true) {
  std::vector<RankTrace> ranks;
  for (std::int64_t rank = 0; rank < world; ++rank)
    ranks.push_back(exchanging(rank, world, add, on_device));
  return compare_ranks(std::move(ranks));
}

// A kernel of NCCL on its own stream, launched inside a row of the host.
void nccl_kernel(TraceMaker& trace, std::string_view kernel, std::string_view host,
                 std::int64_t from, std::int64_t to, std::int64_t stream = 30) {
  if (!host.empty()) {
    trace.row(trace.main, traces::EventKind::kAnnotation, host, from - 9'000, from - 1'000);
  }
  trace.called(trace.kernel(kernel, from, to, stream), "cudaLaunchKernelExC", from - 5'000,
               from - 2'000);
}

struct Exchanged {
  const char* name;
  std::int64_t world;
  Exchange add;
  std::int64_t straggler;  // -1: none is named
  double wait_ms;          // of rank 0, which equals the late rank's gain
  std::int64_t unmatched;
  bool on_device = true;
};

// The late rank is named if its exchange can be matched: once, and if nothing hides it.
TEST(Ranks, MatchedExchanges_ShowTheWait) {
  const char* reduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
  const char* message = "ncclDevKernel_SendRecv";
  const Exchanged kExchanged[] = {
      {"two collectives at once", 2,
       [&](TraceMaker& trace, std::int64_t, std::int64_t from, std::int64_t to) {
         nccl_kernel(trace, reduce, "", from, to, 30);
         nccl_kernel(trace, "ncclDevKernel_AllGather_RING_LL", "", from, to, 31);
       },
       1, 40, 0},
      {"computing beside it", 2,
       [&](TraceMaker& trace, std::int64_t, std::int64_t from, std::int64_t to) {
         nccl_kernel(trace, reduce, "", from, to);
         trace.called(trace.kernel("backward", from, to - 5 * kMillisecond, 8), "cudaLaunchKernel",
                      from - 900, from - 800);
       },
       1, 5, 0},
      // With all ranks on time, the 10 ms of exchanging would overlap the 15 of computing.
      {"exchanging that computing would have hidden", 2,
       [&](TraceMaker& trace, std::int64_t rank, std::int64_t from, std::int64_t to) {
         nccl_kernel(trace, reduce, "", from, to);
         if (rank != 0) return;
         trace.called(trace.kernel("backward", from, from + 15 * kMillisecond, 8),
                      "cudaLaunchKernel", from - 900, from - 800);
       },
       1, 35, 0},
      {"an all-to-all, by the row of the host around its launch", 8,
       [&](TraceMaker& trace, std::int64_t, std::int64_t from, std::int64_t to) {
         nccl_kernel(trace, message, "nccl:all_to_all", from, to);
       },
       1, 40, 0},
      {"a message, by its two ends", 2,
       [&](TraceMaker& trace, std::int64_t rank, std::int64_t from, std::int64_t to) {
         nccl_kernel(trace, message, rank == 0 ? "nccl:send 0->1" : "nccl:recv 1<-0", from, to);
       },
       1, 40, 0},
      {"messages that do not say with whom", 4,
       [&](TraceMaker& trace, std::int64_t, std::int64_t from, std::int64_t to) {
         nccl_kernel(trace, message, "", from, to);
       },
       -1, 0, 16},
      // The first bucket is sent while the second one is computed.
      {"gloo on threads of its own", 2,
       [&](TraceMaker& trace, std::int64_t, std::int64_t from, std::int64_t to) {
         for (const std::int64_t thread : {8, 9}) {
           trace.row(trace.builder.host_lane(4711, thread), traces::EventKind::kAnnotation,
                     "gloo:all_reduce", thread == 8 ? from - 5 * kMillisecond : from, to);
         }
       },
       1, 40, 0, false},
  };
  for (const Exchanged& each : kExchanged) {
    SCOPED_TRACE(each.name);
    const RankReport report = exchanged(each.world, each.add, each.on_device);
    EXPECT_EQ(report.unmatched, each.unmatched);
    EXPECT_NEAR(report.unmatched_ns, each.unmatched > 0 ? 50.0 * kMillisecond : 0, 100);
    EXPECT_NEAR(report.rows[0].wait_ns, each.wait_ms * kMillisecond, 100);
    ASSERT_EQ(report.straggler.has_value(), each.straggler >= 0);
    if (!report.straggler) continue;
    EXPECT_EQ(report.straggler->rank, each.straggler);
    EXPECT_NEAR(report.straggler->gain_ns, each.wait_ms * kMillisecond, 100);
  }
}

TEST(Ranks, FewerThanFourSteps_NameNoStraggler) {
  RankJob job{.slow_loading_ns = {{2, 7 * kMillisecond}}};
  job.steps = 5;
  EXPECT_FALSE(compare_ranks(all_ranks(job)).straggler) << "three steps count";
  job.steps = 6;
  EXPECT_TRUE(compare_ranks(all_ranks(job)).straggler);
}

TEST(Ranks, EqualGroupNames_MatchWithinTheirOwn) {
  const auto add = [](TraceMaker& trace, std::int64_t rank, std::int64_t from, std::int64_t to) {
    traces::CollectiveDetail detail;
    detail.name = trace.builder.text("allreduce");
    detail.group = trace.builder.text("tp");
    detail.ranks = trace.builder.text(rank < 2 ? "[0, 1]" : "[2, 3]");
    const traces::KernelDetail kernel{.collective = trace.builder.detail(detail)};
    // The other group has no late rank: it leaves at once.
    const std::int64_t left_ns = rank < 2 ? to : from + kMillisecond;
    traces::TraceEvent& row = trace.kernel("ncclDevKernel_AllReduce", from, left_ns, 30);
    row.detail = trace.builder.detail(kernel);
    trace.called(row, "cudaLaunchKernelExC", from - 5'000, from - 2'000);
  };
  const RankReport report = exchanged(4, add);
  EXPECT_EQ(report.collectives, 8);
  EXPECT_NEAR(report.rows[0].wait_ns, double(kLateNs), 100);
  EXPECT_NEAR(report.rows[2].wait_ns, 0, 100);
  EXPECT_NEAR(report.rows[3].wait_ns, 0, 100);
}

TEST(Ranks, TakingTurns_IsImbalance) {
  for (const bool turns : {false, true}) {
    const RankReport report = compare_ranks(all_ranks({.takes_turns = turns}));
    EXPECT_NEAR(report.imbalance_ns, turns ? 10.0 * kMillisecond : 0, 100);
  }
}

TEST(Ranks, Starts_CompareOnOneHostOnly) {
  const RankReport one = compare_ranks(all_ranks({.clock_apart_ns = 3 * kMillisecond}));
  EXPECT_EQ(one.clocks, RankClocks::kOneHost);
  EXPECT_NEAR(one.skew_mean_ns.value_or(0), 3.0 * kMillisecond, 1);
  EXPECT_NEAR(one.rows[1].starts_late_ns.value_or(0), 3.0 * kMillisecond, 1);
  std::vector<RankTrace> apart = all_ranks({});
  apart[1].host = "node2";
  EXPECT_FALSE(compare_ranks(apart).skew_mean_ns);
  for (RankTrace& each : apart) each.host.clear();
  const RankReport unknown = compare_ranks(apart);
  EXPECT_TRUE(unknown.skew_mean_ns);
  EXPECT_THAT(document::render(report::ranks_document(unknown, 10), {}),
              HasSubstr("the traces do not name it"));
  apart[2].since_1970 = false;
  EXPECT_FALSE(compare_ranks(apart).skew_mean_ns);
}

TEST(Ranks, MissingOrDuplicate_IsNamed) {
  std::vector<RankTrace> ranks = all_ranks({});
  ranks.erase(ranks.begin() + 1);
  ranks.push_back(ranks.front());
  ranks.back().path = "again.json";
  const RankReport report = compare_ranks(ranks);
  EXPECT_EQ(report.rows.size(), 3U);
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("rank0.json counts, again.json is left out"),
                                           HasSubstr("no trace of rank 1 of 4")));
}

TEST(Ranks, StepsMissingInOthers_DoNotCount) {
  std::vector<RankTrace> ranks = all_ranks({.slow_loading_ns = {{1, 7 * kMillisecond}}});
  ranks[0].steps.erase(ranks[0].steps.begin());
  ranks[2].steps.back().collectives.clear();
  const RankReport report = compare_ranks(ranks);
  EXPECT_EQ(report.steps, 5);
  EXPECT_THAT(report.warnings, ElementsAre(HasSubstr("of 6 steps only 5")));
  EXPECT_EQ(report.collectives, 5);
  ranks[0].steps.clear();
  EXPECT_THAT(compare_ranks(ranks).warnings, ElementsAre(HasSubstr("nothing can be compared")));
}

std::vector<std::vector<std::size_t>> jobs_of(const std::vector<RankTrace>& ranks) {
  std::vector<std::vector<std::size_t>> members;
  for (const traces::RankJob& job : compare_jobs({ranks.begin(), ranks.end()})) {
    members.push_back(job.members);
  }
  return members;
}

TEST(Ranks, OneJob_SharesWorldAndCase) {
  std::vector<RankTrace> ranks = all_ranks({});
  EXPECT_EQ(jobs_of(ranks).size(), 1U);
  ranks[0].world = 8;
  EXPECT_THAT(jobs_of(ranks), ElementsAre(ElementsAre(1, 2, 3))) << "rank 0 is of another job";
  ranks[1].job = "0123 0 kineto ";
  EXPECT_THAT(jobs_of(ranks), ElementsAre(ElementsAre(2, 3)));
  ranks[2].rank = 3;
  EXPECT_TRUE(jobs_of(ranks).empty()) << "one rank twice";
}

}  // namespace
}  // namespace stepbench::traces
