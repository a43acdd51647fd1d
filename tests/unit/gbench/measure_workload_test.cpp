// SPDX-License-Identifier: Apache-2.0
// Workloads inside Google Benchmark's loop, on a workload that logs its calls.
#include "harness/base/error.h"
#include "harness/gbench/workload_benchmark.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::gbench {
namespace {

std::vector<std::string>& calls() {
  static std::vector<std::string> all;
  return all;
}

class Scripted final : public Workload {
 public:
  explicit Scripted(std::string mode) : mode_(std::move(mode)) {}
  std::optional<std::string> set_up() override {
    calls().emplace_back("set_up");
    if (mode_ != "ok" && mode_ != "throw") return "no such device";
    return std::nullopt;
  }
  void step(StepRecorder& step) override {
    calls().emplace_back("step");
    const auto phase = step.phase(PhaseId::kForward);
    if (mode_ == "throw") throw Error("the step failed");
    step.add(Count::kSamples, 8);
  }
  void window(Edge edge) override { calls().emplace_back(edge == Edge::kBegin ? "begin" : "end"); }
  void steps_done() override { calls().emplace_back("steps_done"); }
  void synchronize() override { calls().emplace_back("synchronize"); }
  void tear_down() override { calls().emplace_back("tear_down"); }
  Fingerprint fingerprint() override { return {}; }
  void report(ReportSink& sink) const override { sink.metric("peak", 3); }

 private:
  std::string mode_;
};

Catalogue catalogue() {
  Catalogue made{.sections = harness_sections(), .workloads = {}};
  made.sections.push_back({.name = "scripted",
                           .doc = "What the workload does.",
                           .options = {{.name = "mode",
                                        .type = OptionType::kString,
                                        .doc = "ok or throw; anything else is skipped.",
                                        .default_value = std::string{"ok"},
                                        .identity_default = std::string{"ok"}}}});
  made.workloads.push_back({.name = "scripted", .doc = "Writes down.", .sections = {"scripted"}});
  return made;
}

constexpr WorkloadType kType{
    "scripted", [](const ResolvedCase& resolved, WorkerContext&) {
      return std::unique_ptr<Workload>(std::make_unique<Scripted>(resolved.text("scripted.mode")));
    }};

class Rows final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    rows.insert(rows.end(), runs.begin(), runs.end());
  }
  std::vector<Run> rows;
};

std::vector<benchmark::BenchmarkReporter::Run> measured(const std::string& mode) {
  calls().clear();
  benchmark::ClearRegisteredBenchmarks();
  const Catalogue all = catalogue();
  ResolvedCase resolved;
  resolved.workload = "scripted";
  resolved.options = {{"scripted.mode", Value{mode}}, {"schedule.warmup", Value{std::int64_t{2}}}};
  benchmark::RegisterBenchmark("case", [&](benchmark::State& state) {
    measure_workload(state, kType, resolved, all);
  })->Iterations(3);
  Rows rows;
  benchmark::RunSpecifiedBenchmarks(&rows, "all");
  return rows.rows;
}

TEST(MeasureWorkload, Window_FollowsWarmupAndDeviceSync) {
  const auto rows = measured("ok");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_FALSE(rows[0].error_occurred) << rows[0].error_message;
  EXPECT_EQ(rows[0].iterations, 3);
  EXPECT_EQ(rows[0].report_label, "one process");
  EXPECT_THAT(calls(), ElementsAre("set_up", "step", "step", "synchronize", "begin", "step", "step",
                                   "step", "steps_done", "synchronize", "end", "tear_down"));
  EXPECT_THAT(rows[0].counters, Contains(Key("forward_ns")));
  EXPECT_THAT(rows[0].counters, Contains(Key("items_per_second")));
  EXPECT_EQ(rows[0].counters.at("peak"), 3);
}

TEST(MeasureWorkload, SkippedOrFailedCase_IsARowError) {
  const auto skipped = measured("skip");
  ASSERT_EQ(skipped.size(), 1U);
  EXPECT_EQ(skipped[0].error_message, "skipped: no such device");
  EXPECT_THAT(calls(), ElementsAre("set_up", "tear_down"));
  const auto failed = measured("throw");
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].error_message, "the step failed");
  EXPECT_EQ(calls().back(), "tear_down");
}

TEST(RegisterWorkloads, EachCase_IsABenchmark) {
  benchmark::ClearRegisteredBenchmarks();
  const test::TemporaryFolder folder;
  folder.write("sweep.yaml",
               "workload: scripted\nsweep: {matrix: {scripted.mode: [ok, 'a/b:c', 'a b c']}}\n");
  const Catalogue all = catalogue();
  const std::vector<WorkloadType> types = {kType};
  register_workloads(folder / "sweep.yaml", all, types);
  Rows rows;
  EXPECT_EQ(benchmark::RunSpecifiedBenchmarks(&rows, "mode:ok"), 1U);
  EXPECT_EQ(rows.rows[0].run_name.function_name, "scripted/mode:ok");
  Rows alike;
  EXPECT_EQ(benchmark::RunSpecifiedBenchmarks(&alike, "mode:a_b_c/case:"), 2U);
}

TEST(RegisterWorkloads, UnknownFileOrWorkload_IsRejected) {
  const test::TemporaryFolder folder;
  folder.write("sweep.yaml", "workload: scripted\n");
  const Catalogue all = catalogue();
  EXPECT_THROW(register_workloads(folder / "none.yaml", all, {}), ConfigError);
  EXPECT_THAT([&] { register_workloads(folder / "sweep.yaml", all, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("this program has no 'scripted'")));
}

}  // namespace
}  // namespace stepbench::gbench
