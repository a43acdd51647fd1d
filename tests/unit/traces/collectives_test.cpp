// SPDX-License-Identifier: Apache-2.0
// Sizes and bandwidths of collectives of one rank and of all, by the definitions of nccl-tests.
#include "harness/traces/internal/device_work.h"

#include "harness/traces/compare_traces.h"
#include "tests/testing.h"
#include "tests/unit/traces/trace_maker.h"

namespace stepbench::traces {
namespace {

struct Sent {
  std::string_view name = "allreduce";
  std::string_view dtype = "Float";
  std::int64_t in = 1'000'000;
  std::int64_t out = 1'000'000;
  std::int32_t group_size = 8;
  std::string_view ranks = "[0, 1, 2, 3, 4, 5, 6, 7]";
};

traces::TraceEvent& nccl(TraceMaker& maker, const Sent& sent, std::int64_t from_ns,
                         std::int64_t to_ns) {
  traces::CollectiveDetail detail;
  detail.name = maker.builder.text(sent.name);
  detail.dtype = maker.builder.text(sent.dtype);
  detail.group = maker.builder.text("0");
  if (!sent.ranks.empty()) detail.ranks = maker.builder.text(sent.ranks);
  detail.group_size = sent.group_size;
  detail.in_elements = sent.in;
  detail.out_elements = sent.out;
  const traces::KernelDetail kernel{.collective = maker.builder.detail(detail)};
  const std::uint32_t index = maker.builder.detail(kernel);
  traces::TraceEvent& row = maker.kernel("ncclDevKernel_Generic", from_ns, to_ns, 30);
  row.detail = index;
  maker.called(row, "cudaLaunchKernelExC", from_ns - 5 * kUs, from_ns - 2 * kUs);
  return row;
}

CollectiveRow row_of(const Sent& sent) {
  TraceMaker maker;
  maker.step(0, 0, 1000 * kUs);
  nccl(maker, sent, 100 * kUs, 200 * kUs);
  const Analysis analysis = analyse(maker.finish());
  EXPECT_TRUE(analysis.collectives);
  return analysis.collectives->front();
}

// nccl-tests, doc/PERFORMANCE.md: 8 ranks and 100 us.
TEST(Collectives, Examples_MatchNcclTests) {
  const CollectiveRow reduce = row_of({});
  EXPECT_EQ(reduce.facts.bytes, 4'000'000);
  EXPECT_EQ(reduce.facts.dtype, ops::Dtype::kFp32);
  EXPECT_DOUBLE_EQ(*reduce.facts.algorithm_bandwidth(reduce.duration.median), 40.0) << "GB/s";
  EXPECT_DOUBLE_EQ(*reduce.facts.bus_bandwidth(reduce.duration.median), 40.0 * 2 * 7 / 8);
  // The size of a gather is a rank's result, that of a scatter its input.
  const CollectiveRow gather = row_of({.name = "_allgather_base", .in = 125'000});
  EXPECT_EQ(gather.facts.bytes, 4'000'000);
  EXPECT_DOUBLE_EQ(*gather.facts.bus_factor(), 7.0 / 8);
  const CollectiveRow scatter = row_of({.name = "_reduce_scatter_base", .out = 125'000});
  EXPECT_EQ(scatter.facts.bytes, 4'000'000);
  EXPECT_DOUBLE_EQ(*scatter.facts.bus_factor(), 7.0 / 8);
  EXPECT_DOUBLE_EQ(*row_of({.name = "all_to_all"}).facts.bus_factor(), 7.0 / 8);
  EXPECT_DOUBLE_EQ(*row_of({.name = "broadcast"}).facts.bus_factor(), 1.0);
  EXPECT_DOUBLE_EQ(*row_of({.name = "reduce"}).facts.bus_factor(), 1.0);
  EXPECT_DOUBLE_EQ(*row_of({.name = "send", .group_size = 2}).facts.bus_factor(), 1.0);
}

// Published by TraceLens for Llama 70B on eight MI300X: size in MiB, latency in us, GiB/s.
TEST(Collectives, PublishedTimes_MatchTraceLens) {
  constexpr double kGib = 1.073741824;
  const ExchangeFacts gather{.name = "_allgather_base", .group_size = 8, .bytes = 1'711'308'800};
  EXPECT_NEAR(*gather.algorithm_bandwidth(5'609'464) / kGib, 284.12349514643915, 1e-6);
  EXPECT_NEAR(*gather.bus_bandwidth(5'609'464) / kGib, 248.60805825313426, 1e-6);
  const ExchangeFacts scatter{
      .name = "_reduce_scatter_base", .group_size = 8, .bytes = 3'422'617'600};
  EXPECT_NEAR(*scatter.algorithm_bandwidth(9'934'890) / kGib, 320.8451261318696, 1e-6);
  EXPECT_NEAR(*scatter.bus_bandwidth(9'934'890) / kGib, 280.7394853653859, 1e-6);
}

TEST(Collectives, UnknownSize_HasNoBandwidth) {
  EXPECT_FALSE(row_of({.dtype = "Posit"}).facts.algorithm_bandwidth(100));
  EXPECT_FALSE(row_of({.in = -1, .out = -1}).facts.algorithm_bandwidth(100));
  const CollectiveRow nobody = row_of({.group_size = -1, .ranks = ""});
  EXPECT_DOUBLE_EQ(*nobody.facts.algorithm_bandwidth(100'000), 40.0);
  EXPECT_FALSE(nobody.facts.bus_bandwidth(100'000));
  EXPECT_EQ(row_of({.group_size = -1, .ranks = "[0, 1]"}).facts.group_size, 2);
  EXPECT_EQ(row_of({.group_size = -1, .ranks = "[0, ..., 7]"}).facts.group_size, -1);
  EXPECT_FALSE(row_of({.name = "mystery"}).facts.bus_bandwidth(100'000));
}

TEST(Collectives, SameKindAndSize_ShareARow) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t at_ns = i * 1000 * kUs;
    maker.step(i, at_ns, at_ns + 1000 * kUs);
    nccl(maker, {}, at_ns + 100 * kUs, at_ns + 200 * kUs);
    nccl(maker, {}, at_ns + 300 * kUs, at_ns + 350 * kUs);
    nccl(maker, {.in = 10}, at_ns + 400 * kUs, at_ns + 410 * kUs);
    maker.kernel("gemm", at_ns + 150 * kUs, at_ns + 400 * kUs);
  }
  const traces::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  const std::vector<CollectiveRow>& rows = *analysis.collectives;
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].duration.n, 6);
  EXPECT_EQ(rows[0].in_steps.calls, 2);
  EXPECT_EQ(rows[0].in_steps.ns, 150 * kUs);
  EXPECT_EQ(rows[0].step_exposed_ns, 50 * kUs) << "the rest is hidden behind computing";
}

// Otherwise many rows, each in one of many steps, would fill the memory.
TEST(Collectives, Row_KeepsOnlyItsOwnSteps) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 5; ++i) {
    const std::int64_t at_ns = i * 1000 * kUs;
    maker.step(i, at_ns, at_ns + 1000 * kUs);
    maker.kernel("gemm", at_ns + 150 * kUs, at_ns + 400 * kUs);
    if (i == 2) nccl(maker, {}, at_ns + 100 * kUs, at_ns + 200 * kUs);
  }
  const traces::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  ASSERT_EQ(analysis.steps.counted().size(), 3);
  ASSERT_EQ(analysis.collectives->size(), 1);
  const StepShares& steps = analysis.collectives->front().in_steps.of;
  ASSERT_EQ(steps.size(), 1);
  EXPECT_EQ(steps.at(1).ns, 100 * kUs) << "the second of those that count";
}

TEST(Collectives, Gloo_HasNoSize) {
  TraceMaker maker;
  maker.step(0, 0, 1000 * kUs);
  maker.row(maker.main, traces::EventKind::kAnnotation, "gloo:all_reduce", 100 * kUs, 200 * kUs);
  const Analysis analysis = analyse(maker.finish());
  EXPECT_EQ(analysis.collectives->front().facts.bytes, -1);
}

// Rank 1 enters every collective 40 us late: the exchange itself takes 60 of the 100 us of rank 0.
TEST(Collectives, AllRanks_AreTimedFromTheLastEntry) {
  std::vector<RankTrace> ranks;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    TraceMaker maker;
    maker.builder.trace().rank = rank;
    maker.builder.trace().world = 2;
    for (std::int64_t i = 0; i < 5; ++i) {
      const std::int64_t at_ns = i * 1000 * kUs;
      maker.step(i, at_ns, at_ns + 1000 * kUs);
      nccl(maker, {.group_size = 2, .ranks = "[0, 1]"}, at_ns + (100 + 40 * rank) * kUs,
           at_ns + 200 * kUs);
    }
    const traces::Trace trace = maker.finish();
    ranks.push_back(*rank_trace("rank.json", trace, analyse(trace)));
  }
  const RankReport report = compare_ranks(std::move(ranks));
  ASSERT_EQ(report.sizes.size(), 1);
  const MatchedCollectives& row = report.sizes.front();
  EXPECT_EQ(row.duration.n, 3);
  EXPECT_DOUBLE_EQ(row.duration.median, 60.0 * kUs);
  EXPECT_DOUBLE_EQ(row.skew.max, 40.0 * kUs);
  EXPECT_DOUBLE_EQ(*row.facts.bus_bandwidth(row.duration.median), 4'000'000.0 / 60'000);
}

}  // namespace
}  // namespace stepbench::traces
