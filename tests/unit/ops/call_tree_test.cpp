// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_trees.h"

#include "harness/ops/op_table.h"
#include "harness/traces/internal/folded_calls.h"
#include "harness/traces/internal/op_tree.h"
#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::ops {
namespace {

// "  forward 1 60 = 20" per row: name, calls, host time with and without children.
std::vector<std::string> drawn(const OpTable& table) {
  std::vector<std::string> lines;
  for (const FoldedCall& row : table.calls) {
    lines.push_back(std::string(2 * static_cast<std::size_t>(row.depth), ' ') +
                    std::string(table.text(row.name)) + ' ' + std::to_string(row.calls) + ' ' +
                    std::to_string(row.cpu_ns) + " own " + std::to_string(row.self_cpu_ns));
  }
  return lines;
}

std::int64_t roots_ns(const std::vector<CallNode>& nodes) {
  std::int64_t sum = 0;
  for (const CallNode& node : nodes) {
    if (node.parent == CallNode::kNoParent) sum += node.cpu_ns;
  }
  return sum;
}

OpLog two_steps() {
  LogMaker maker;
  for (const std::int64_t at : {100, 1100}) {
    maker.step(at / 1000, at, at + 1000);
    maker.phase("data_wait", at / 1000, at, at + 100);
    maker.phase("forward", at / 1000, at + 100, at + 600);
  }
  maker.op("before", 10, 50);
  for (const std::int64_t at : {100, 1100}) {
    maker.op("aten::linear", at + 110, at + 310);
    maker.op("aten::addmm", at + 120, at + 300);
    maker.op("aten::linear", at + 320, at + 420);
    maker.op("aten::zero_", at + 700, at + 720);
  }
  maker.op("MmBackward0", 500, 530, 1);
  return std::move(maker.log);
}

TEST(CallTree, Rows_AreStepPhaseAndCall) {
  EXPECT_THAT(drawn(table_of(two_steps())),
              ElementsAre("ProfilerStep* 2 2000 own 760",     //
                          "  data_wait 2 200 own 200",        //
                          "  forward 2 1000 own 400",         //
                          "    aten::linear 4 600 own 240",   //
                          "      aten::addmm 2 360 own 360",  //
                          "  aten::zero_ 2 40 own 40",        //
                          "(other threads) 0 30 own 0",       //
                          "  MmBackward0 1 30 own 30"));
}

TEST(CallTree, DeviceWork_CountsToCallAndCallers) {
  LogMaker maker;
  maker.op("aten::linear", 0, 100);
  maker.op("aten::addmm", 10, 90);
  maker.activity(ActivityKind::kRuntime, "cudaLaunchKernel", 40, 50, 9, 1);
  maker.activity(ActivityKind::kKernel, "gemm", 200, 260, 9, 1);
  const std::vector<CallNode> nodes = call_tree(table_of(maker.log));
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].device_ns, 60);
  EXPECT_EQ(nodes[0].self_device_ns, 0);
  EXPECT_EQ(nodes[1].self_device_ns, 60);
  EXPECT_EQ(nodes[2].name, "cudaLaunchKernel");
  EXPECT_EQ(nodes[2].kind, OpKind::kCall);
}

// For any collected events and any row limit.
TEST(CallTree, ChildrenAndOwnTime_SumToTheParent) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    OpLog log = RandomLog(seed).make();
    if (seed % 2 == 0) {
      for (std::int64_t step = 0; step < 4; ++step) {
        const std::int64_t at = 1500 + step * 1000;
        log.marks.push_back({at, at + 900, step, kNoIndex});
        log.marks.push_back({at + 50, at + 700, step, 0});
      }
    }
    const traces::Trace trace = traces::trace_of(log);
    const traces::OpTree tree(trace);
    const OpTable table = traces::op_table_of(tree);
    const ModuleTree modules = make_module_tree(table, 1);
    for (const std::size_t most : {std::size_t{12}, std::size_t{50}, traces::kMaxCallRows}) {
      OpTable cut;
      StringTable names(cut.strings);
      cut.calls = traces::folded_calls(tree, {}, names, most);
      EXPECT_LE(cut.calls.size(), most);
      std::vector<std::int64_t> children_ns(cut.calls.size());
      std::vector<std::size_t> open;
      std::int64_t all_ns = 0;
      for (std::size_t i = 0; i < cut.calls.size(); ++i) {
        open.resize(static_cast<std::size_t>(cut.calls[i].depth));
        (open.empty() ? all_ns : children_ns[open.back()]) += cut.calls[i].cpu_ns;
        open.push_back(i);
      }
      for (std::size_t i = 0; i < cut.calls.size(); ++i) {
        EXPECT_EQ(cut.calls[i].cpu_ns, cut.calls[i].self_cpu_ns + children_ns[i]);
      }
      EXPECT_EQ(all_ns, modules.nodes.front().all.cpu_ns) << "seed " << seed << ", " << most;
    }
    EXPECT_EQ(roots_ns(call_tree(table)), modules.nodes.front().all.cpu_ns) << "seed " << seed;
  }
}

TEST(CallTree, RowLimit_MergesTheSmallestCalls) {
  LogMaker maker;
  maker.step(0, 0, 10'000);
  for (int i = 0; i < 20; ++i) maker.op("op " + std::to_string(i), i * 100, i * 100 + 80 - i);
  std::vector<std::string> texts;
  StringTable names(texts);
  const traces::Trace trace = traces::trace_of(maker.log);
  const std::vector<FoldedCall> rows = traces::folded_calls(traces::OpTree(trace), {}, names, 5);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[3].cpu_ns, 78) << "the largest three are kept";
  EXPECT_EQ(texts[rows[4].name], kOtherCalls);
  EXPECT_EQ(rows[4].calls, 17);
  EXPECT_EQ(rows[4].depth, 1);
}

TEST(CallTree, Launches_AreSummed) {
  OpTable table = table_of(two_steps());
  const std::vector<CallNode> one = call_tree(table);
  std::vector<OpFrame> frames = frames_of(table, 300);
  EXPECT_GT(frames.size(), 4U);
  const std::vector<OpFrame> again = frames;
  frames.insert(frames.end(), again.begin(), again.end());
  const std::vector<CallNode> two = call_tree(op_table_of(frames));
  ASSERT_EQ(two.size(), one.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(two[i].name, one[i].name);
    EXPECT_EQ(two[i].calls, 2 * one[i].calls);
    EXPECT_EQ(two[i].cpu_ns, 2 * one[i].cpu_ns);
  }
}

TEST(CallTree, InvalidRows_StillMakeATree) {
  OpTable table;
  table.strings = {"a", "b"};
  table.calls = {{.name = 0, .depth = 7, .self_cpu_ns = 1},
                 {.name = 1, .depth = 9, .self_cpu_ns = 2},
                 {.name = 1, .depth = -3, .self_cpu_ns = 4}};
  const std::vector<CallNode> nodes = call_tree(table);
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].cpu_ns, 3);
  EXPECT_EQ(nodes[1].parent, 0U);
  EXPECT_EQ(nodes[2].parent, CallNode::kNoParent);
  EXPECT_TRUE(call_tree({}).empty());
}

}  // namespace
}  // namespace stepbench::ops
