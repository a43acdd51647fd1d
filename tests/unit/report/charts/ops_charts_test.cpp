// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/ops_charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/ops/op_frame.h"
#include "harness/report/html/call_charts.h"
#include "tests/unit/ops/log_maker.h"
#include "tests/unit/report/charts/charted.h"

namespace stepbench::report {
namespace {

using test::figures_of;
using test::Json;
using ::testing::HasSubstr;
using testing::LogMaker;

// Two steps of 1 ms in two phases, with kernels, memory and a hostile name.
ops::OpLog profiled_log() {
  LogMaker maker;
  maker.log.modules = {"layer1", "layer1.linear", "fc"};
  for (std::int64_t step = 0; step < 2; ++step) {
    const std::int64_t at = 1000 + step * 1'000'000;
    maker.step(step, at, at + 1'000'000);
    maker.phase("data_wait", step, at, at + 100'000);
    maker.phase("forward", step, at + 100'000, at + 900'000);
    maker.op("aten::relu", at + 100'000, at + 400'000).module = 0;
    maker.op("aten::linear", at + 400'000, at + 600'000).module = 1;
    maker.op("aten::addmm", at + 420'000, at + 560'000);
    const auto addmm = static_cast<std::uint32_t>(maker.log.ops.size() - 1);
    maker.op("<b>x</b>", at + 600'000, at + 700'000).module = 2;
    maker.activity(ops::ActivityKind::kKernel, "gemm", at + 700'000, at + 780'000,
                   static_cast<std::uint64_t>(step + 1), addmm);
    maker.memory(at + 430'000, 3 << 20, addmm);
    maker.memory(at + 550'000, -(1 << 20), addmm);
  }
  return std::move(maker.log);
}

record::Results profiled_results(ops::OpTable table) {
  record::Results results;
  record::Launch launch;
  launch.row.key = {.case_id = "abcdef0123456789", .pass = Pass::kNative};
  launch.ops = ops::frames_of(table);
  results.launches.push_back(std::move(launch));
  return results;
}

double sum_of(const Json& values) {
  double sum = 0;
  for (const Json& value : values) sum += value.get<double>();
  return sum;
}

// The value of the area with this label, with all below it.
double total_of(const Json& trace, const std::string& label) {
  const std::size_t count = trace["ids"].size();
  std::vector<double> totals;
  for (const Json& value : trace["values"]) totals.push_back(value.get<double>());
  double found = -1;
  for (std::size_t i = count; i-- > 0;) {
    if (trace["labels"][i] == label) found = totals[i];
    const std::string parent = trace["parents"][i];
    if (!parent.empty()) totals[std::stoul(parent)] += totals[i];
  }
  return found;
}

TEST(OpsCharts, AFlameViewSumsToTheTimeOfTheSteps) {
  const ops::OpTable table = ops::make_op_table(profiled_log());
  const auto trace_of = [&](OpTime time) {
    const auto figure = flame_figure(ops::call_tree(table), time);
    return figure ? Json::parse(figure->json)["data"][0] : Json();
  };
  const Json host = trace_of(OpTime::kHost);
  EXPECT_EQ(host["type"], "icicle");
  EXPECT_NEAR(sum_of(host["values"]), 1.0, 1e-4) << "milliseconds per step";
  EXPECT_NEAR(total_of(host, "data_wait"), 0.1, 1e-4);
  EXPECT_NEAR(total_of(host, "forward"), 0.8, 1e-4);
  EXPECT_NEAR(total_of(host, "aten::linear"), 0.2, 1e-4);
  EXPECT_GE(total_of(host, "&lt;b&gt;x&lt;/b&gt;"), 0) << "shown as text";
  const Json device = trace_of(OpTime::kDevice);
  EXPECT_NEAR(sum_of(device["values"]), 0.08, 1e-5);
  EXPECT_NEAR(total_of(device, "aten::addmm"), 0.08, 1e-5) << "by the call that it came from";
}

TEST(OpsCharts, ATreemapSumsToTheStepAsTheTableByModuleDoes) {
  const ops::OpTable table = ops::make_op_table(profiled_log());
  const auto figure = treemap_figure(table, OpTime::kHost);
  ASSERT_TRUE(figure);
  const Json trace = Json::parse(figure->json)["data"][0];
  const ops::ModuleTree tree = ops::make_module_tree(table, 16);
  EXPECT_NEAR(sum_of(trace["values"]), static_cast<double>(tree.nodes.front().all.cpu_ns) / 2e6,
              1e-4);
  for (const ops::ModuleNode& node : tree.nodes) {
    if (node.kind != ops::ModuleNode::Kind::kModule || node.depth == 0) continue;
    const std::string label = node.path.substr(node.path.rfind('.') + 1);
    EXPECT_NEAR(total_of(trace, label), static_cast<double>(node.all.cpu_ns) / 2e6, 1e-4) << label;
  }
}

TEST(OpsCharts, MemoryIsALineWithItsPeakNamed) {
  const auto figure = memory_figure(ops::make_op_table(profiled_log()));
  ASSERT_TRUE(figure);
  const Json data = Json::parse(figure->json)["data"];
  ASSERT_EQ(data.size(), 1U);
  EXPECT_EQ(data[0]["y"], Json::parse("[3,2,5,4]"));
  EXPECT_THAT(figure->note, HasSubstr("5.00 MiB of the host in aten::addmm, forward of step 1"));
}

TEST(OpsCharts, OfAnOlderFile_SayThatThereAreNoCalls) {
  ops::OpTable table = ops::make_op_table(profiled_log());
  const auto section = ops_section(profiled_results(table), {});
  ASSERT_TRUE(section);
  EXPECT_EQ(figures_of(*section).size(), 5U) << "host and device twice, memory";
  EXPECT_TRUE(std::holds_alternative<document::Table>(section->blocks.back()));
  table.calls.clear();
  const auto older = ops_section(profiled_results(table), {});
  ASSERT_TRUE(older);
  EXPECT_EQ(figures_of(*older).size(), 3U);
  EXPECT_THAT(test::words_of(*older), HasSubstr("measure again with --profile"));
  EXPECT_FALSE(ops_section({}, {})) << "nothing was profiled";
}

}  // namespace
}  // namespace stepbench::report
