// SPDX-License-Identifier: Apache-2.0
// Kernels, operators, runtime calls, fetches of data and memory by name.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/analyze/analysis.h"
#include "tests/unit/analyze/trace_maker.h"

namespace stepbench::analyze {
namespace {

using ::stepbench::testing::kUs;
using ::stepbench::testing::TraceMaker;

template <typename Rows>
auto named(const trace::Trace& trace, const Rows& rows, std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
    return trace.names[row.name].text == name;
  });
  EXPECT_NE(found, rows.end()) << name;
  return found == rows.end() ? typename Rows::value_type{} : *found;
}

TEST(KernelTable, AddsUpByNameAndWeighsByTime) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 3; ++i) maker.step(i, i * 100 * kUs, (i + 1) * 100 * kUs);
  const auto run = [&](std::string_view name, std::int64_t at_us, std::int64_t us,
                       double occupancy) {
    trace::KernelDetail detail;
    detail.occupancy_percent = occupancy;
    const std::uint32_t index = maker.builder.detail(detail);
    trace::TraceEvent& row = maker.kernel(name, at_us * kUs, (at_us + us) * kUs);
    row.detail = index;
    maker.called(row, "cudaLaunchKernel", at_us * kUs - 2 * kUs, at_us * kUs - kUs);
  };
  run("gemm", 10, 30, 50);
  run("gemm", 110, 10, 90);
  run("add", 120, 2, 100);
  run("add", 130, 2, 100);
  run("add", 220, 2, 100);
  run("nvjet_tst_128x64", 230, 5, 10);
  const trace::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  ASSERT_TRUE(analysis.kernels);
  const Kernels& kernels = *analysis.kernels;
  EXPECT_EQ(kernels.calls, 6);
  EXPECT_EQ(kernels.total_ns, 51 * kUs);
  EXPECT_EQ(trace.names[kernels.rows.front().name].text, "gemm");
  EXPECT_EQ(trace.names[kernels.rows[kernels.by_calls.front()].name].text, "add");
  const KernelRow gemm = named(trace, kernels.rows, "gemm");
  EXPECT_EQ(gemm.calls, 2);
  EXPECT_EQ(gemm.min_ns, 10 * kUs);
  EXPECT_EQ(gemm.max_ns, 30 * kUs);
  EXPECT_DOUBLE_EQ(*gemm.occupancy_percent, (30 * 50 + 10 * 90) / 40.0);
  EXPECT_FALSE(gemm.blocks_per_sm);
  EXPECT_EQ(gemm.step_calls, 1) << "the step between the first and the last";
  EXPECT_EQ(kernels.tiny, 4);
  EXPECT_EQ(kernels.tiny_in_steps, 2);
  EXPECT_EQ(kernels.tensor_core_ns, 0);
  EXPECT_EQ(kernels.probably_tensor_core_ns, 5 * kUs);
}

TEST(OperatorTable, CountsOwnTimeWithoutChildrenAndCalls) {
  TraceMaker maker;
  maker.step(1, 0, 1000);
  maker.op("aten::linear", 100, 400);
  maker.op("aten::addmm", 150, 350);
  maker.called(maker.kernel("gemm", 500, 800), "cudaLaunchKernel", 200, 260);
  maker.called(maker.kernel("bias", 800, 850), "cudaLaunchKernel", 370, 380);
  const trace::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  const OperatorRow linear = named(trace, *analysis.operators, "aten::linear");
  EXPECT_EQ(linear.host_ns, 300);
  EXPECT_EQ(linear.self_host_ns, 300 - 200 - 10);
  EXPECT_EQ(linear.device_ns, 350);
  EXPECT_EQ(linear.self_device_ns, 50);
  const OperatorRow addmm = named(trace, *analysis.operators, "aten::addmm");
  EXPECT_EQ(addmm.self_host_ns, 200 - 60);
  EXPECT_EQ(addmm.self_device_ns, 300);
  EXPECT_TRUE(addmm.eligible);
}

TEST(OperatorTable, CountsAnOpThatOnlyCallsItselfOnce) {
  TraceMaker maker;
  maker.step(1, 0, 1000);
  maker.op("aten::to", 100, 200);
  maker.op("aten::to", 110, 190);
  maker.op("aten::copy_", 120, 180);
  maker.called(maker.kernel("copy", 300, 350), "cudaLaunchKernel", 130, 140);
  const trace::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  const OperatorRow to = named(trace, *analysis.operators, "aten::to");
  EXPECT_EQ(to.calls, 1);
  EXPECT_EQ(to.host_ns, 100);
  EXPECT_EQ(to.self_host_ns, 40);
  EXPECT_EQ(to.device_ns, 50);
}

TEST(OperatorTable, ListsNoStepsNoFetchesAndNoAnnotations) {
  TraceMaker maker;
  maker.step(1, 0, 1000);
  maker.loading(0, 100);
  maker.op("aten::stack", 10, 50);
  maker.row(maker.main, trace::EventKind::kAnnotation, "my region", 200, 500);
  maker.row(maker.main, trace::EventKind::kAnnotation, "Optimizer.step#SGD.step", 600, 700);
  maker.op("aten::add_", 610, 640);
  const trace::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  std::vector<std::string> names;
  for (const OperatorRow& row : *analysis.operators) names.push_back(trace.names[row.name].text);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"aten::add_", "aten::stack"}));
}

TEST(RuntimeCalls, AddUpByNameInTheCountedSteps) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 3; ++i) {
    maker.step(i, 100 * i, 100 * i + 100);
    maker.op("aten::item", 100 * i + 10, 100 * i + 60);
    maker.call("cudaStreamSynchronize", 100 * i + 20, 100 * i + 40 + i);
    maker.call("cudaMalloc", 100 * i + 70, 100 * i + 75);
  }
  const trace::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  const RuntimeCallRow sync = named(trace, *analysis.runtime_calls, "cudaStreamSynchronize");
  EXPECT_EQ(sync.calls, 3);
  EXPECT_EQ(sync.step_calls, 1);
  EXPECT_EQ(sync.step_ns, 21);
  EXPECT_EQ(trace.names[sync.longest_op].text, "aten::item");
  EXPECT_EQ(named(trace, *analysis.runtime_calls, "cudaMalloc").longest_op, ops::kNoIndex);
}

TEST(DataLoading, TellsTheFirstFetchFromTheOthers) {
  TraceMaker maker;
  constexpr std::int64_t kFetches[] = {90, 10, 20, 30};
  for (std::int64_t i = 0; i < 4; ++i) {
    maker.step(i, 200 * i, 200 * i + 200);
    maker.loading(200 * i, 200 * i + kFetches[i]);
    maker.kernel("gemm", 200 * i + 5, 200 * i + 15);
  }
  const trace::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  ASSERT_TRUE(analysis.data_loading);
  EXPECT_EQ(analysis.data_loading->calls.size(), 4U);
  EXPECT_EQ(analysis.data_loading->first_ns, 90);
  EXPECT_DOUBLE_EQ(analysis.data_loading->later.median, 20);
  EXPECT_DOUBLE_EQ(analysis.data_loading->interval.median, 200);
  EXPECT_EQ(analysis.data_loading->calls[1].exposed_ns, 5);
  EXPECT_EQ(analysis.data_loading->calls[3].exposed_ns, 20);
  EXPECT_EQ(analysis.data_loading->calls[3].step, 3U);
}

TEST(MemoryPeaks, AreTheHighestTotalOfEachDevice) {
  TraceMaker maker;
  maker.op("aten::empty", 0, 10);
  for (const auto& [at, total] : {std::pair(1, 100), std::pair(2, 500), std::pair(3, 200)}) {
    maker.builder.add(trace::TraceMemory{
        .at_ns = at, .bytes = 1, .total_allocated = total, .total_reserved = 600, .device = 0});
  }
  trace::Trace trace = maker.finish();
  trace.devices.push_back({.id = 0, .total_memory_bytes = 1000});
  const Analysis analysis = analyse(trace);
  ASSERT_TRUE(analysis.memory);
  ASSERT_EQ(analysis.memory->size(), 1U);
  EXPECT_EQ(analysis.memory->front().allocated_bytes, 500);
  EXPECT_EQ(analysis.memory->front().at_ns, 2);
  EXPECT_EQ(analysis.memory->front().total_bytes, 1000);
}

}  // namespace
}  // namespace stepbench::analyze
