// SPDX-License-Identifier: Apache-2.0
// Two traces of the same work done at another speed: matrix products by shape, collectives by size,
// and the critical path.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/analyze/diff.h"
#include "harness/analyze/rules.h"
#include "harness/document/render.h"
#include "harness/report/analysis_diff.h"
#include "tests/unit/analyze/work_maker.h"

namespace stepbench::analyze {
namespace {

using ::testing::HasSubstr;
using testing::kUs;
using ::testing::Not;
using testing::shaped_op;
using testing::TraceMaker;

struct Speed {
  std::int64_t product_us = 200;
  std::int64_t reduce_us = 100;
  bool with_work = true;  // what the formulas need
};

// Eight steps of 1 ms: a product of 4096 x 4096 matrices in bf16, then an all-reduce of 4 MB.
DiffSide side_at(const Speed& speed) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 8; ++i) {
    const std::int64_t at_ns = i * 1000 * kUs;
    maker.step(i, at_ns, at_ns + 1000 * kUs);
    const char* shapes = speed.with_work ? "[[4096, 4096], [4096, 4096]]" : "";
    shaped_op(maker, maker.main,
              {.shapes = shapes, .types = R"(["c10::BFloat16", "c10::BFloat16"])"},
              at_ns + 10 * kUs, at_ns + 30 * kUs);
    maker.called(maker.kernel("gemm", at_ns + 40 * kUs, at_ns + (40 + speed.product_us) * kUs),
                 "cudaLaunchKernel", at_ns + 12 * kUs, at_ns + 14 * kUs);
    if (!speed.with_work) continue;
    trace::CollectiveDetail detail;
    detail.name = maker.builder.text("allreduce");
    detail.dtype = maker.builder.text("Float");
    detail.ranks = maker.builder.text("[0, 1, 2, 3]");
    detail.group_size = 4;
    detail.in_elements = detail.out_elements = 1'000'000;
    const trace::KernelDetail kernel{.collective = maker.builder.detail(detail)};
    const std::uint32_t index = maker.builder.detail(kernel);
    trace::TraceEvent& reduce = maker.kernel("ncclDevKernel_AllReduce", at_ns + 500 * kUs,
                                             at_ns + (500 + speed.reduce_us) * kUs, 30);
    reduce.detail = index;
    maker.called(reduce, "cudaLaunchKernelExC", at_ns + 495 * kUs, at_ns + 498 * kUs);
  }
  const trace::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace, {.critical_path = true});
  return diff_side("trace.json", trace, analysis, find_causes(trace, analysis));
}

const std::vector<DiffRow>& rows(const TraceDiff& diff, CostKind kind) {
  return diff.tables[static_cast<std::size_t>(kind)].rows;
}

TEST(DiffOfWork, ATwiceAsFastProductHasTwiceTheRate) {
  const TraceDiff diff = compare_traces(side_at({}), side_at({.product_us = 100}));
  ASSERT_EQ(rows(diff, CostKind::kShape).size(), 1);
  const DiffRow& row = rows(diff, CostKind::kShape).front();
  EXPECT_EQ(row.name, "aten::mm [4096, 4096] [4096, 4096] bf16");
  EXPECT_EQ(row.phase, "forward");
  EXPECT_EQ(row.change, DiffChange::kShrank);
  EXPECT_DOUBLE_EQ(row.difference_ns(), -100.0 * kUs);
  const double flops = 2.0 * 4096 * 4096 * 4096;
  EXPECT_DOUBLE_EQ(*row.base_rate, flops / (200.0 * kUs));
  EXPECT_DOUBLE_EQ(*row.new_rate, flops / (100.0 * kUs));
  EXPECT_FALSE(rows(diff, CostKind::kCollective).front().changed());
}

TEST(DiffOfWork, ASlowerCollectiveHasLessOfTheBus) {
  const TraceDiff diff = compare_traces(side_at({}), side_at({.reduce_us = 300}));
  ASSERT_EQ(rows(diff, CostKind::kCollective).size(), 1);
  const DiffRow& row = rows(diff, CostKind::kCollective).front();
  EXPECT_EQ(row.name, "allreduce 3.81 MiB fp32");
  EXPECT_EQ(row.change, DiffChange::kGrew);
  EXPECT_DOUBLE_EQ(*row.base_rate, 4e6 * 1.5 / (100.0 * kUs));
  EXPECT_DOUBLE_EQ(*row.new_rate, 4e6 * 1.5 / (300.0 * kUs));
}

TEST(DiffOfWork, TheCriticalPathSaysWhichPartGrew) {
  // The last all-reduce ends behind its step: the path of eight steps is longer by what that is.
  const TraceDiff diff = compare_traces(side_at({}), side_at({.reduce_us = 900}));
  double difference_ns = 0;
  for (const DiffRow& row : diff.path) difference_ns += row.difference_ns();
  EXPECT_GT(difference_ns, 0);
  ASSERT_EQ(diff.path.size(), kPathKinds);
  EXPECT_EQ(diff.path[std::size_t(PathKind::kCommunication)].change, DiffChange::kGrew);
}

TEST(DiffOfWork, StandsOnThePageAndInTheJson) {
  const TraceDiff diff = compare_traces(side_at({}), side_at({.product_us = 100}));
  const std::string page = document::render(report::diff_document(diff, 10), {.columns = 160});
  EXPECT_THAT(page,
              HasSubstr("matrix products, convolutions and attention that changed, by shape"));
  EXPECT_THAT(page, HasSubstr("base [TFLOP/s]  new [TFLOP/s]"));
  EXPECT_THAT(page, HasSubstr("critical path: what a step waits for"));
  const std::string json = report::diff_json(diff, 0);
  EXPECT_THAT(json, HasSubstr(R"("base_flops_per_s":687194767360000.0)"));
  EXPECT_THAT(json, HasSubstr(R"("base_bus_bytes_per_s":6e+10)"));
  EXPECT_THAT(json, HasSubstr(R"("critical_path":[)"));
}

TEST(DiffOfWork, WithoutShapesAndCollectivesThePageIsSilent) {
  const DiffSide side = side_at({.with_work = false});
  const std::string page =
      document::render(report::diff_document(compare_traces(side, side), 10), {.columns = 160});
  EXPECT_THAT(page, Not(HasSubstr("by shape")));
  EXPECT_THAT(page, Not(HasSubstr("collectives that changed")));
}

}  // namespace
}  // namespace stepbench::analyze
