// SPDX-License-Identifier: Apache-2.0
#include "harness/report/module_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/ops/op_frame.h"
#include "harness/report/ops_report.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::report {
namespace {

using ::testing::HasSubstr;
using testing::LogMaker;
using ::testing::Not;

// Two steps of 1 ms: layer1 has 0.5 ms, of which its linear has 0.2 ms, and fc 0.1 ms.
record::Results with_modules(bool device = false) {
  LogMaker maker;
  maker.log.modules = {"layer1", "layer1.linear", "fc"};
  for (std::int64_t step = 0; step < 2; ++step) {
    const std::int64_t at_ns = step * 1'000'000;
    maker.step(step, at_ns, at_ns + 1'000'000);
    maker.phase("forward", step, at_ns, at_ns + 900'000);
    maker.op("aten::relu", at_ns, at_ns + 300'000).module = 0;
    maker.op("aten::linear", at_ns + 300'000, at_ns + 500'000).module = 1;
    const auto linear = static_cast<std::uint32_t>(maker.log.ops.size() - 1);
    maker.op("aten::linear", at_ns + 500'000, at_ns + 600'000).module = 2;
    if (device) {
      maker.activity(ops::ActivityKind::kKernel, "gemm", at_ns + 700'000, at_ns + 780'000,
                     static_cast<std::uint64_t>(step + 1), linear);
    }
  }
  record::Results results;
  record::Launch launch;
  launch.row.key = {.case_id = "abcdef0123456789", .pass = Pass::kNative};
  launch.ops = ops::frames_of(ops::make_op_table(maker.log));
  results.launches.push_back(std::move(launch));
  return results;
}

std::string modules_of(const ModulesView& view, Format format = Format::kTable) {
  return render_modules(with_modules(), view, format, {.columns = 100});
}

TEST(ModuleReport, IsATreeInTimesPerStep) {
  EXPECT_EQ(
      modules_of({}),
      "case abcdef0123456789  (native, recording cost: unknown, no timing launch beside it)\n"
      "\n"
      "module                  time  share [%]  forward\n"
      "────────────────────────────────────────────────\n"
      "step                 1.00 ms        100   600 us\n"
      "  (model)             600 us       60.0   600 us\n"
      "    layer1            500 us       50.0   500 us\n"
      "      layer1.linear   200 us       20.0   200 us\n"
      "      layer1 (self)   300 us       30.0   300 us\n"
      "    fc                100 us       10.0   100 us\n"
      "  (outside ops)       400 us       40.0\n"
      "Per step, the mean of 2 profiled steps. Rows that are indented add up to the row above "
      "them.\n");
}

TEST(ModuleReport, SaysThatThereAreDeeperModules) {
  const std::string text = modules_of({.depth = 1});
  EXPECT_THAT(text, Not(HasSubstr("layer1.linear")));
  EXPECT_THAT(text, HasSubstr("--depth 2 shows all."));
}

TEST(ModuleReport, SortsSiblingsAndKeepsTheModelsOrderWhenAsked) {
  const auto before = [](const std::string& text, const char* first, const char* second) {
    return text.find(first) < text.find(second);
  };
  EXPECT_TRUE(before(modules_of({}), "layer1", "fc"));
  EXPECT_TRUE(before(modules_of({.sort = "module"}), "layer1", "fc"));
  EXPECT_TRUE(before(modules_of({.sort = "-forward"}), "layer1", "fc"));
  try {
    (void)modules_of({.sort = "foward"});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.where(), "--sort");
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'forward'?"));
  }
}

TEST(ModuleReport, ShowsTheDevicesTimeWhereKernelsWereRecorded) {
  const std::string text = render_modules(with_modules(true), {}, Format::kTable, {.columns = 120});
  EXPECT_THAT(text, HasSubstr("CUDA time"));
  EXPECT_THAT(text, HasSubstr("host"));
  EXPECT_THAT(text, HasSubstr("layer1.linear    80.0 us        100"));
}

TEST(ModuleReport, CsvHasExactSumsOverTheSteps) {
  EXPECT_THAT(modules_of({}, Format::kCsv),
              HasSubstr("abcdef0123456789,native,2,module,layer1.linear,2,400,0,0,0,0,0,0,400\n"));
}

TEST(ModuleReport, JsonHasEachPhase) {
  EXPECT_THAT(modules_of({}, Format::kJson),
              HasSubstr(R"({"kind":"module","module":"fc","depth":1,"cpu_ns":200000,)"));
  EXPECT_THAT(modules_of({}, Format::kJson), HasSubstr(R"("phases":{"forward":{"cpu_ns":200000,)"));
}

TEST(ModuleReport, MarkdownHasNoIndent) {
  EXPECT_THAT(modules_of({}, Format::kMarkdown), HasSubstr("| layer1.linear | 200 us |"));
}

TEST(ModuleReport, ResultsWithoutModulesSayHowToGetThem) {
  LogMaker maker;
  maker.step(0, 0, 100);
  maker.op("aten::add", 10, 20);
  record::Results results = with_modules();
  results.launches[0].ops = ops::frames_of(ops::make_op_table(maker.log));
  try {
    (void)render_modules(results, {}, Format::kTable, {});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("profile: {modules: true}"));
  }
}

TEST(RecordingCost, IsAFactorOrLostInTheNoise) {
  estimate::CaseRow timed;
  timed.step_ns = 100;
  timed.spread = estimate::Spread::kRange;
  timed.interval_ns = {90, 120};
  EXPECT_EQ(recording_cost(std::nullopt, true),
            "recording cost: unknown, no timing launch beside it");
  EXPECT_EQ(recording_cost(0.832, estimate::is_within_noise(0.832, nullptr)),
            "recording cost: within noise");
  EXPECT_EQ(recording_cost(1.1, estimate::is_within_noise(1.1, &timed)),
            "recording cost: within noise");
  EXPECT_EQ(recording_cost(1.4, estimate::is_within_noise(1.4, &timed)),
            "recording cost: 1.40x the step");
  EXPECT_EQ(recording_cost(1.1, estimate::is_within_noise(1.1, nullptr)),
            "recording cost: 1.10x the step");
}

}  // namespace
}  // namespace stepbench::report
