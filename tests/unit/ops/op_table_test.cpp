// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_table.h"

#include "harness/traces/internal/op_tree.h"
#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::ops {
namespace {

TEST(OpTable, AsyncEvent_HasNoSelfTime) {
  LogMaker maker;
  maker.op("future", 10, 50).async = true;
  const OpRow row = row_of(table_of(maker.log), "future");
  EXPECT_TRUE(row.async);
  EXPECT_EQ(row.cpu_ns, 40);
  EXPECT_EQ(row.self_cpu_ns, 0);
}

// Outermost: without a parent. Holds for any log.
TEST(OpTable, SelfTimes_SumToTheOutermostTotals) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const traces::Trace trace = traces::trace_of(RandomLog(seed).make());
    const traces::OpTree tree(trace);
    std::int64_t outermost_ns = 0;
    for (const traces::OpNode& node : tree.nodes()) {
      if (node.parent == kNoIndex && !node.async()) outermost_ns += node.row->duration_ns();
    }
    const OpTable table = traces::op_table_of(tree);
    EXPECT_EQ(totals_of(table.rows).self_cpu_ns, outermost_ns) << "seed " << seed;

    std::int64_t self_ns = 0;
    std::int64_t kernels_ns = 0;
    std::int64_t unattributed_ns = 0;
    for (const OpRow& row : table.rows) {
      (row.kind == OpKind::kDevice ? kernels_ns : self_ns) += row.self_device_ns;
    }
    for (const traces::TraceLane& lane : trace.lanes) {
      if (lane.kind != traces::LaneKind::kStream) continue;
      for (const traces::TraceEvent& kernel : lane.events) {
        const std::uint32_t cause = tree.cause_of(kernel);
        if (cause == kNoIndex || tree.nodes()[cause].async()) {
          unattributed_ns += kernel.duration_ns();
        }
      }
    }
    EXPECT_EQ(self_ns + unattributed_ns, kernels_ns) << "seed " << seed;
  }
}

TEST(OpTable, CoarserGroups_SumTheFinest) {
  const OpLog log = RandomLog(5).make();
  const OpTable table = table_of(log);
  for (const OpGrouping by :
       {OpGrouping{}, OpGrouping{.shapes = true}, OpGrouping{.phase = true, .step = true}}) {
    const std::vector<OpRow> rows = grouped(table.rows, by);
    EXPECT_LE(rows.size(), table.rows.size());
    EXPECT_EQ(totals_of(rows).self_cpu_ns, totals_of(table.rows).self_cpu_ns);
    EXPECT_EQ(totals_of(rows).flops, totals_of(table.rows).flops);
  }
}

TEST(OpTable, StepsPhasesAndShapes_AreSeparate) {
  LogMaker maker;
  maker.step(4, 0, 100);
  maker.phase("forward", 4, 0, 50);
  maker.phase("backward", 4, 50, 90);
  maker.step(5, 100, 200);
  maker.phase("forward", 5, 110, 150);
  maker.shaped("aten::mm", "[[2, 3], [3, 4]]", 10, 20);
  maker.shaped("aten::mm", "[[4, 3], [3, 4]]", 60, 65);
  maker.shaped("aten::mm", "[[2, 3], [3, 4]]", 120, 123);
  maker.shaped("aten::mm", "[[2, 3], [3, 4]]", 100, 101);
  const OpTable table = table_of(maker.log);
  std::vector<std::string> seen;
  for (const OpRow& row : table.rows) {
    if (row.kind != OpKind::kOp) continue;
    seen.push_back(std::to_string(row.step) + " " + std::string(table.text(row.phase)) + " " +
                   std::string(table.text(row.shapes)) + " " + std::to_string(row.flops));
  }
  EXPECT_THAT(seen, ElementsAre("4 forward [[2, 3], [3, 4]] 48", "4 backward [[4, 3], [3, 4]] 96",
                                "5  [[2, 3], [3, 4]] 48", "5 forward [[2, 3], [3, 4]] 48"));
  EXPECT_EQ(row_of(table, "ProfilerStep*", OpKind::kAnnotation).calls, 2);
}

TEST(OpTable, OtherThreads_JoinThePhaseOfTheirStart) {
  LogMaker maker;
  maker.step(0, 0, 100);
  maker.phase("backward", 0, 50, 90);
  maker.op("MmBackward0", 60, 70, 1);
  maker.op("aten::stack", 120, 130, 2);
  const OpTable table = table_of(maker.log);
  std::map<std::string_view, std::pair<std::string_view, std::int64_t>> found;
  for (const OpRow& row : table.rows) {
    found[table.text(row.name)] = {table.text(row.phase), row.step};
  }
  EXPECT_EQ(found.at("MmBackward0").first, "backward");
  EXPECT_EQ(found.at("aten::stack").second, -1);
}

TEST(OpTable, Kernel_IsSelfTimeOfItsOp) {
  LogMaker maker;
  maker.op("aten::linear", 0, 100);
  maker.op("aten::addmm", 10, 90);
  maker.activity(ActivityKind::kRuntime, "cudaLaunchKernel", 40, 50, 9, 1);
  maker.activity(ActivityKind::kKernel, "gemm", 200, 260, 9, 1);
  maker.activity(ActivityKind::kMemcpy, "Memcpy HtoD (Pinned -> Device)", 300, 307, 10).bytes = 64;
  const OpTable table = table_of(maker.log);
  EXPECT_EQ(row_of(table, "aten::linear").self_cpu_ns, 20) << "without direct children";
  EXPECT_EQ(row_of(table, "aten::addmm").cpu_ns, 80);
  EXPECT_EQ(row_of(table, "aten::addmm").self_device_ns, 60);
  EXPECT_EQ(row_of(table, "aten::addmm").self_cpu_ns, 70) << "the launch is a child";
  EXPECT_EQ(row_of(table, "aten::linear").self_device_ns, 0);
  EXPECT_EQ(row_of(table, "aten::linear").device_ns, 60);
  EXPECT_EQ(row_of(table, "gemm", OpKind::kDevice).device_ns, 60);
  EXPECT_EQ(row_of(table, "gemm", OpKind::kDevice).cpu_ns, 0);
  EXPECT_EQ(row_of(table, "cudaLaunchKernel", OpKind::kCall).self_cpu_ns, 10);
  EXPECT_EQ(totals_of(table.rows).self_device_ns, 67) << "copies without an op count too";
}

TEST(OpTable, DeviceWork_JoinsByOpThenCall) {
  LogMaker maker;
  maker.op("aten::mm", 0, 100);
  maker.op("aten::add", 100, 200);
  maker.activity(ActivityKind::kKernel, "by op", 500, 510, 1, 0);
  maker.activity(ActivityKind::kRuntime, "cudaLaunchKernel", 120, 130, 2).thread = 0;
  maker.activity(ActivityKind::kKernel, "by correlation", 520, 540, 2);
  maker.activity(ActivityKind::kKernel, "nobody's", 540, 570, 3);
  const OpTable table = table_of(maker.log);
  EXPECT_EQ(row_of(table, "aten::mm").self_device_ns, 10);
  EXPECT_EQ(row_of(table, "aten::add").self_device_ns, 20);
  EXPECT_EQ(totals_of(table.rows).self_device_ns, 60);
}

TEST(OpTable, Marks_LimitActivitiesToSteps) {
  LogMaker maker;
  maker.op("aten::mm", 110, 120);
  maker.activity(ActivityKind::kRuntime, "cudaEventRecord", 50, 55, 1);  // before
  maker.activity(ActivityKind::kRuntime, "cudaLaunchKernel", 112, 118, 2, 0);
  maker.activity(ActivityKind::kKernel, "gemm", 900, 990, 2);  // runs after all steps
  maker.activity(ActivityKind::kRuntime, "cudaMemsetAsync", 130, 135, 3);
  maker.activity(ActivityKind::kMemset, "Memset", 990, 995, 3);                  // outside of an op
  maker.activity(ActivityKind::kRuntime, "cudaEventElapsedTime", 205, 208, 4);   // between
  maker.activity(ActivityKind::kRuntime, "cudaDeviceSynchronize", 700, 990, 5);  // after
  maker.activity(ActivityKind::kSynchronization, "Context Synchronize", 701, 989, 5);
  const auto names = [&] {
    std::vector<std::string> all;
    const OpTable table = table_of(maker.log);
    for (const ActivityRow& row : table.activities) all.emplace_back(table.text(row.name));
    return all;
  };
  EXPECT_EQ(names().size(), maker.log.activities.size());
  maker.step(4, 100, 200);
  maker.step(5, 210, 300);
  EXPECT_EQ(names(),
            (std::vector<std::string>{"cudaLaunchKernel", "cudaMemsetAsync", "gemm", "Memset"}));
}

TEST(OpTable, MergedCalls_KeepKernelsAndBytes) {
  LogMaker maker;
  maker.op("aten::add", 0, 100);
  maker.op("aten::add", 10, 90);
  maker.activity(ActivityKind::kKernel, "add", 200, 230, 1, 1);
  maker.memory(20, 512, 1);
  const OpRow row = row_of(table_of(maker.log), "aten::add");
  EXPECT_EQ(row.calls, 1);
  EXPECT_EQ(row.self_device_ns, 30);
  EXPECT_EQ(row.own_cpu_bytes, 512);
}

TEST(OpTable, Bytes_CountToEachOpenOp) {
  LogMaker maker;
  maker.op("aten::linear", 0, 100);
  maker.op("aten::addmm", 10, 90);
  maker.op("aten::stack", 0, 1000, 2);
  maker.memory(20, 1000, 1);
  maker.memory(30, -200, 1);
  maker.memory(95, 64, 0);
  maker.memory(50, 4096, 1, 0);
  const OpTable table = table_of(maker.log);
  const OpRow linear = row_of(table, "aten::linear");
  EXPECT_EQ(linear.cpu_bytes, 864);
  EXPECT_EQ(linear.self_cpu_bytes, 64);
  EXPECT_EQ(linear.own_cpu_bytes, 64);
  const OpRow addmm = row_of(table, "aten::addmm");
  EXPECT_EQ(addmm.self_cpu_bytes, 800);
  EXPECT_EQ(addmm.device_bytes, 4096);
  EXPECT_EQ(addmm.own_device_bytes, 4096);
  const OpRow loader = row_of(table, "aten::stack");
  EXPECT_EQ(loader.cpu_bytes, 864) << "another thread's allocations: torch.profiler's rule";
  EXPECT_EQ(loader.own_cpu_bytes, 0);
}

TEST(OpTable, BothEnds_BelongToTheInterval) {
  LogMaker maker;
  maker.op("aten::empty", 10, 20);
  maker.memory(9, 1);
  maker.memory(10, 2);
  maker.memory(20, 4);
  maker.memory(21, 8);
  const OpTable table = table_of(maker.log);
  EXPECT_EQ(row_of(table, "aten::empty").cpu_bytes, 6);
  const OpRow rest = row_of(table, "[memory]", OpKind::kMemory);
  EXPECT_EQ(rest.calls, 2);
  EXPECT_EQ(rest.self_cpu_bytes, 9);
}

TEST(OpTable, CalleesAndBackward_InheritTheModule) {
  LogMaker maker;
  maker.log.modules = {"layer1.conv", "fc"};
  OpEvent& conv = maker.op("aten::conv2d", 0, 50);
  conv.module = 0;
  maker.op("aten::convolution", 10, 40).sequence = 12;
  OpEvent& backward = maker.op("ConvolutionBackward0", 100, 150, 1);
  backward.scope = OpScope::kBackwardFunction;
  backward.sequence = 12;
  backward.forward_thread = 0;
  maker.op("aten::convolution_backward", 110, 140, 1);
  maker.op("aten::ones_like", 160, 170, 1);
  const OpTable table = table_of(maker.log);
  std::map<std::string_view, std::string_view> modules;
  for (const OpRow& row : table.rows) modules[table.text(row.name)] = table.text(row.module);
  EXPECT_EQ(modules["aten::convolution"], "layer1.conv");
  EXPECT_EQ(modules["ConvolutionBackward0"], "layer1.conv");
  EXPECT_EQ(modules["aten::convolution_backward"], "layer1.conv");
  EXPECT_EQ(modules["aten::ones_like"], "");
}

TEST(OpTable, Synchronization_NamesItsOp) {
  LogMaker maker;
  maker.op("aten::item", 0, 100);
  maker.activity(ActivityKind::kRuntime, "cudaStreamSynchronize", 10, 60, 1, 0);
  maker.activity(ActivityKind::kRuntime, "cudaStreamSynchronize", 70, 80, 2, 0);
  const OpTable table = table_of(maker.log);
  ASSERT_EQ(table.activities.size(), 1U);
  const ActivityRow& row = table.activities[0];
  EXPECT_EQ(table.text(row.op), "aten::item");
  EXPECT_EQ(row.launches, 2);
  EXPECT_EQ(row.total_ns, 60);
  EXPECT_EQ(row.min_ns, 10);
  EXPECT_EQ(row.max_ns, 50);
}

TEST(OpTable, RecursiveOp_CountsItsWorkOnce) {
  constexpr std::string_view kShapes = "[[8, 32], [32, 64]]";
  LogMaker maker;
  maker.shaped("aten::mm", kShapes, 0, 100);
  maker.op("aten::to", 10, 20);
  maker.shaped("aten::mm", kShapes, 30, 90);
  const OpTable table = table_of(maker.log);
  EXPECT_EQ(totals_of(table.rows).flops, 2 * 8 * 32 * 64);
  std::int64_t calls = 0;
  for (const OpRow& row : table.rows) calls += table.text(row.name) == "aten::mm" ? row.calls : 0;
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace stepbench::ops
