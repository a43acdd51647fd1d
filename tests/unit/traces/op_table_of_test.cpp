// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/op_table_of.h"

#include "harness/ops/op_table.h"
#include "harness/traces/trace_files.h"
#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::traces {
namespace {

TEST(OpTableOf, MarksOfALog_AreItsPhases) {
  LogMaker maker;
  maker.step(4, 0, 3'000);
  maker.phase("data_wait", 4, 0, 900);
  maker.phase("forward", 4, 900, 2'500);
  maker.step(5, 3'000, 9'000);
  maker.phase("forward", 5, 3'100, 8'000);
  const traces::Trace trace = traces::trace_of(maker.log);
  const OpTree tree(trace);
  EXPECT_EQ(tree.phases().size(), 3U);
  EXPECT_EQ(trace.lanes[tree.step_lane()].name, "thread 4711 (step)");
}

TEST(OpTableOf, ForeignCalls_JoinTheOperatorAround) {
  const fs::path file =
      fs::path(TRACES) /
      "tb_plugin/samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz";
  if (!fs::exists(file)) GTEST_SKIP() << "the public traces are not here";
  const traces::Trace trace = traces::read_trace(file);
  const OpTree tree(trace);
  const ops::OpTable table = op_table_of(tree);
  const ops::OpRow convolution = stepbench::row_of(table, "aten::cudnn_convolution");
  EXPECT_EQ(convolution.calls, 318) << "53 in each of 6 steps";
  EXPECT_GT(convolution.self_device_ns, 0);
  EXPECT_EQ(
      std::ranges::count(tree.phases(), "data_wait",
                         [&](const OpTree::Mark& mark) { return tree.names()[mark.at.phase]; }),
      6);
  std::int64_t kernel_ns = 0;
  std::int64_t orphans = 0;
  for (const ops::ActivityRow& row : table.activities) {
    if (row.kind != ops::ActivityKind::kKernel) continue;
    kernel_ns += row.total_ns;
    orphans += row.op == ops::kNoIndex ? row.launches : 0;
  }
  EXPECT_GT(kernel_ns, 590'000'000) << "98.6 ms in each of 6 steps";
  EXPECT_EQ(orphans, 0);
}

}  // namespace
}  // namespace stepbench::traces
