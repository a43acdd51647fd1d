// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/complete_report.h"

#include "harness/ops/op_table.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::campaign {
namespace {

// 30 steps that become faster, in the two messages of one cycle.
record::Launch warming_launch() {
  record::Launch launch;
  for (std::int64_t part = 0; part < 2; ++part) {
    std::vector<std::int64_t> steps;
    for (std::int64_t i = 15 * part; i < 15 * part + 15; ++i) {
      steps.push_back(i < 12 ? 3'000'000 - 100'000 * i : 1'000'000 + i % 3);
    }
    launch.samples.push_back({0, {{"step_ns"}, {steps}}});
  }
  return launch;
}

TEST(CompleteReport, MissingWarmUpVerdict_IsAdded) {
  record::Launch launch = warming_launch();
  add_warmup_verdict(launch);
  EXPECT_EQ(launch.row.report.schedule.at("warmup_verdict"), Value(std::string("too_short")));
  EXPECT_THAT(launch.row.report.flags, Contains("warmup_too_short"));
  EXPECT_EQ(launch.row.report.schedule.at("warmup_more"), Value(std::int64_t{12}));
  EXPECT_TRUE(launch.row.report.notes.empty()) << "words are made where they are printed";
}

TEST(CompleteReport, WorkersVerdict_IsKept) {
  record::Launch launch = warming_launch();
  launch.row.report.schedule["warmup_verdict"] = std::string("ok");
  add_warmup_verdict(launch);
  EXPECT_EQ(launch.row.report.schedule.at("warmup_verdict"), Value(std::string("ok")));
  EXPECT_THAT(launch.row.report.notes, IsEmpty());
}

// torch.profiler's trace of a script: its annotations are the step and the phases.
constexpr const char* kScript = R"({"schemaVersion": 1, "traceEvents": [
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#7","pid":9,"tid":9,"ts":100,"dur":100,"args":{"External id":1}},
{"ph":"X","cat":"user_annotation","name":"stepbench::data_wait","pid":9,"tid":9,"ts":101,"dur":9,"args":{"External id":2}},
{"ph":"X","cat":"user_annotation","name":"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__","pid":9,"tid":9,"ts":102,"dur":7,"args":{"External id":3}},
{"ph":"X","cat":"cpu_op","name":"aten::stack","pid":9,"tid":9,"ts":103,"dur":5,"args":{"External id":4}},
{"ph":"X","cat":"user_annotation","name":"stepbench::forward","pid":9,"tid":9,"ts":120,"dur":50,"args":{"External id":5}},
{"ph":"X","cat":"cpu_op","name":"aten::linear","pid":9,"tid":9,"ts":130,"dur":30,"args":{"External id":6,"Input Dims":[[8,4],[4,4]]}},
{"ph":"X","cat":"cpu_op","name":"aten::addmm","pid":9,"tid":9,"ts":140,"dur":10,"args":{"External id":7}}
]})";

class TracedOps : public ::testing::Test {
 protected:
  record::Launch launch_with(const std::string& text, const std::string& named) {
    fs::create_directory(folder_.path() / "traces");
    std::ofstream(folder_.path() / "traces/one.pt.trace.json") << text;
    record::Launch launch;
    launch.row.key.pass = Pass::kKineto;
    launch.row.report.effective["profile.trace"] = named;
    return launch;
  }

  [[nodiscard]] bool is_kept() const {
    return fs::exists(folder_.path() / "traces/one.pt.trace.json");
  }

  test::TemporaryFolder folder_;
};

TEST_F(TracedOps, Ops_AreOfStepsByPhase) {
  record::Launch launch = launch_with(kScript, "traces/one.pt.trace.json");
  add_traced_ops(launch, folder_.path());
  const ops::OpTable table = ops::op_table_of(launch.ops);
  std::vector<std::string> lines;
  for (const ops::OpRow& row : table.rows) {
    lines.push_back(std::string(table.text(row.name)) + " " + std::string(table.text(row.phase)) +
                    " " + std::to_string(row.step) + " " + std::to_string(row.calls) + " " +
                    std::to_string(row.self_cpu_ns));
  }
  EXPECT_THAT(lines, UnorderedElementsAre(
                         "ProfilerStep*  7 1 63000",
                         "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ data_wait 7 "
                         "1 2000",
                         "aten::stack data_wait 7 1 5000", "aten::linear forward 7 1 20000",
                         "aten::addmm forward 7 1 10000"));
  EXPECT_FALSE(is_kept());
  EXPECT_FALSE(launch.row.report.effective.contains("profile.trace"));
}

TEST_F(TracedOps, RequestedTrace_IsKept) {
  record::Launch launch = launch_with(kScript, "traces/one.pt.trace.json");
  launch.row.options["profile.trace"] = true;
  add_traced_ops(launch, folder_.path());
  EXPECT_TRUE(is_kept());
  EXPECT_FALSE(launch.ops.empty());
}

TEST_F(TracedOps, SentOps_StayAndTheTraceIsOfItsRank) {
  record::Launch sent = launch_with(kScript, "traces/one.pt.trace.json");
  add_traced_ops(sent, folder_.path());
  const std::size_t frames = sent.ops.size();
  const std::string of_rank =
      R"({"distributedInfo": {"backend": "gloo", "rank": 1, "world_size": 2},)" +
      std::string(kScript).substr(std::string_view(kScript).find('{') + 1);
  for (const int world : {1, 2}) {
    record::Launch launch = launch_with(of_rank, "traces/one.pt.trace.json");
    launch.row.world = world;
    launch.ops = sent.ops;
    const auto trace = add_traced_ops(launch, folder_.path());
    EXPECT_EQ(launch.ops.size(), frames);
    EXPECT_EQ(trace.has_value(), world == 2);
    EXPECT_EQ(is_kept(), world == 1) << "of one process it is the worker's own affair";
    EXPECT_EQ(trace ? trace->rank : 1, 1);
  }
}

TEST_F(TracedOps, DamagedTrace_IsANote) {
  record::Launch launch = launch_with("{\"traceEvents\": [", "traces/one.pt.trace.json");
  add_traced_ops(launch, folder_.path());
  EXPECT_THAT(launch.row.report.notes, Contains(HasSubstr("profiled operations: ")));
  EXPECT_THAT(launch.ops, IsEmpty());
}

TEST_F(TracedOps, OutsideFolder_IsNotRead) {
  const fs::path elsewhere = folder_.path() / "one.pt.trace.json";
  std::ofstream(elsewhere) << kScript;
  record::Launch launch = launch_with("", "../../" + elsewhere.string());
  add_traced_ops(launch, folder_.path());
  EXPECT_THAT(launch.ops, IsEmpty());
  EXPECT_TRUE(fs::exists(elsewhere));
}

}  // namespace
}  // namespace stepbench::campaign
