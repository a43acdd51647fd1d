// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/op_log_of.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "harness/ops/op_table.h"
#include "harness/trace/read_trace.h"
#include "harness/trace/trace_of.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::trace {
namespace {

using testing::LogMaker;

// Every row of the table as one line, sorted.
std::set<std::string> lines_of(const ops::OpTable& table) {
  std::set<std::string> lines;
  for (const ops::OpRow& row :
       ops::grouped(table.rows, {.shapes = true, .phase = true, .step = true})) {
    std::ostringstream line;
    line << table.text(row.name) << ' ' << table.text(row.shapes) << ' ' << table.text(row.phase)
         << " step " << row.step << ' ' << name_of(row.kind) << ' ' << row.calls << " cpu "
         << row.self_cpu_ns << ' ' << row.cpu_ns << " device " << row.self_device_ns << ' '
         << row.device_ns << " bytes " << row.self_cpu_bytes << ' ' << row.cpu_bytes << " flops "
         << row.flops;
    lines.insert(line.str());
  }
  for (const ops::ActivityRow& row : table.activities) {
    std::ostringstream line;
    line << table.text(row.name) << " by " << table.text(row.op) << ' ' << row.launches << ' '
         << row.total_ns << ' ' << row.bytes;
    lines.insert(line.str());
  }
  return lines;
}

TEST(OpLogOf, Table_IsThatOfTheLog) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    LogMaker maker;
    maker.log = testing::RandomLog(seed).make();
    for (ops::OpEvent& op : maker.log.ops) op.end_thread = op.thread;  // no file has its end
    for (std::string& name : maker.log.names) {
      if (name.starts_with("ProfilerStep")) name = "aten::step";  // the marks below are the steps
    }
    maker.step(4, 0, 3'000);
    maker.phase("data_wait", 4, 0, 900);
    maker.phase("forward", 4, 900, 2'500);
    maker.step(5, 3'000, 9'000);
    maker.phase("forward", 5, 3'100, 8'000);
    const ops::OpLog log = op_log_of(trace_of(maker.log));
    ASSERT_EQ(lines_of(ops::make_op_table(log)), lines_of(ops::make_op_table(maker.log))) << seed;
    EXPECT_EQ(log.marks.size(), maker.log.marks.size());
    EXPECT_EQ(log.process, maker.log.process);
    EXPECT_EQ(log.threads[log.step_thread].name, "step");
  }
}

TEST(OpLogOf, ForeignCalls_JoinTheOperatorAround) {
  const std::filesystem::path file =
      std::filesystem::path(TRACES) /
      "tb_plugin/samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the public traces are not here";
  const Trace trace = read_trace(file);
  const ops::OpLog log = op_log_of(trace);
  EXPECT_EQ(log.ops.size(), 23'646U);
  EXPECT_EQ(log.activities.size(), 11'923U + 8'772U + 12U + 312U);
  EXPECT_EQ(log.memory.size(), 12'838U);
  const ops::OpTable table = ops::make_op_table(log);
  const ops::OpRow convolution = testing::row_of(table, "aten::cudnn_convolution");
  EXPECT_EQ(convolution.calls, 318) << "53 in each of 6 steps";
  EXPECT_GT(convolution.self_device_ns, 0);
  std::int64_t waits = 0;
  for (const ops::StepMark& mark : log.marks) {
    waits += mark.phase != ops::kNoIndex && log.names[mark.phase] == "data_wait" ? 1 : 0;
  }
  EXPECT_EQ(waits, 6);
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
}  // namespace stepbench::trace
