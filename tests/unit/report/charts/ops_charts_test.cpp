// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_table.h"
#include "harness/ops/op_trees.h"
#include "harness/report/internal/html/run_sections.h"
#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"
#include "tests/unit/report/charts/charted.h"

namespace stepbench::report {
namespace {

using test::Drawn;
using test::Json;

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

Drawn drawn_of(const ops::OpTable& table) {
  const record::Results results = profiled_results(table);
  return test::drawn_by([&](json::JsonText& json) { return ops_section(results, json); });
}

double sum_of(const Json& values) {
  double sum = 0;
  for (const Json& value : values) sum += value.get<double>();
  return sum;
}

TEST(OpsCharts, FlameView_SumsToTheSteps) {
  const Json calls = drawn_of(table_of(profiled_log())).charts["profiles"][0]["calls"];
  EXPECT_EQ(calls["parent"][0], -1);
  const auto whole = [&](const std::string& name, const std::string& key) {
    const auto at = std::find(calls["name"].begin(), calls["name"].end(), name);
    return calls[key][static_cast<std::size_t>(at - calls["name"].begin())];
  };
  EXPECT_EQ(whole("step", "host_ns"), 2'000'000) << "of two steps";
  EXPECT_EQ(whole("step", "device_ns"), 160'000);
  EXPECT_EQ(whole("data_wait", "host_ns"), 200'000);
  EXPECT_EQ(whole("forward", "host_ns"), 1'600'000);
  EXPECT_EQ(whole("aten::linear", "host_ns"), 400'000);
  EXPECT_EQ(whole("aten::addmm", "device_ns"), 160'000) << "by the call that it came from";
}

TEST(OpsCharts, OpsOfModules_SumToTheStep) {
  const ops::OpTable table = table_of(profiled_log());
  const Drawn drawn = drawn_of(table);
  const Json& host = drawn.charts["profiles"][0]["host_ops"];
  const ops::ModuleTree tree = ops::make_module_tree(table, 16);
  EXPECT_EQ(sum_of(host["ns"]) + host["outside_ns"].get<double>(),
            static_cast<double>(tree.nodes.front().all.cpu_ns));
  const auto linear = std::find(host["module"].begin(), host["module"].end(), "layer1.linear");
  ASSERT_NE(linear, host["module"].end());
  EXPECT_EQ(host["calls"][static_cast<std::size_t>(linear - host["module"].begin())], 2);
  EXPECT_EQ(sum_of(drawn.charts["profiles"][0]["device_ops"]["ns"]), 160e3);
  EXPECT_THAT(drawn.figures[1].figure.alt, HasSubstr("most in layer1: 500 us per step"));
}

TEST(OpsCharts, Memory_IsALineWithItsPeak) {
  const Drawn drawn = drawn_of(table_of(profiled_log()));
  const Json& memory = drawn.charts["profiles"][0]["memory"];
  ASSERT_EQ(memory.size(), 1U);
  EXPECT_EQ(memory[0]["bytes"], Json::parse("[3145728,2097152,5242880,4194304]"));
  EXPECT_EQ(memory[0]["peak"], Json::parse("[0,0,1,0]"));
  EXPECT_THAT(drawn.figures.back().figure.note,
              HasSubstr("5.00 MiB of the host (step 1, forward, aten::addmm)"));
}

TEST(OpsCharts, OlderFile_HasNoCalls) {
  ops::OpTable table = table_of(profiled_log());
  const Drawn drawn = drawn_of(table);
  ASSERT_TRUE(drawn.section);
  EXPECT_EQ(drawn.figures.size(), 3U) << "calls, modules, memory";
  EXPECT_TRUE(std::holds_alternative<document::Table>(drawn.section->blocks.back()));
  table.calls.clear();
  const Drawn older = drawn_of(table);
  ASSERT_TRUE(older.section);
  EXPECT_EQ(older.figures.size(), 2U);
  EXPECT_THAT(test::words_of(*older.section), HasSubstr("measure again with --profile"));
  const auto none =
      test::drawn_by([](json::JsonText& json) { return ops_section(record::Results(), json); });
  EXPECT_FALSE(none.section) << "nothing was profiled";
}

}  // namespace
}  // namespace stepbench::report
