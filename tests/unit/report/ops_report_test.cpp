// SPDX-License-Identifier: Apache-2.0
#include "harness/report/ops_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/ops/op_frame.h"
#include "harness/report/ops_columns.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::report {
namespace {

using ::testing::HasSubstr;
using testing::LogMaker;
using ::testing::Not;

// Two steps of one matrix product with its kernel.
record::Results profiled() {
  LogMaker maker;
  for (std::int64_t step = 0; step < 2; ++step) {
    const std::int64_t at_ns = step * 1'000'000;
    maker.step(step, at_ns, at_ns + 1'000'000);
    maker.phase("forward", step, at_ns, at_ns + 600'000);
    maker.shaped("aten::linear", "[[8, 32], [64, 32]]", at_ns + 10'000, at_ns + 210'000);
    maker.shaped("aten::mm", "[[8, 32], [32, 64]]", at_ns + 20'000, at_ns + 120'000);
    const auto mm = static_cast<std::uint32_t>(maker.log.ops.size() - 1);
    maker.memory(at_ns + 30'000, 2048, mm);
    maker.activity(ops::ActivityKind::kRuntime, "cudaLaunchKernel", at_ns + 40'000, at_ns + 45'001,
                   1, mm);
    maker.activity(ops::ActivityKind::kRuntime, "cudaDeviceSynchronize", at_ns + 50'000,
                   at_ns + 90'000, 2, mm);
    maker.activity(ops::ActivityKind::kKernel, "gemm", at_ns + 300'000, at_ns + 380'000, 1, mm);
  }
  record::Results results;
  record::Launch launch;
  launch.row.key = {.case_id = "abcdef0123456789", .pass = Pass::kNative};
  launch.row.report.metrics["profile_overhead"] = 1.12;
  launch.ops = ops::frames_of(ops::make_op_table(maker.log));
  results.launches.push_back(std::move(launch));
  return results;
}

std::string shown(const OpsView& view, Format format = Format::kTable) {
  return render_ops(profiled(), view, format, {.columns = 200});
}

TEST(OpsReport, ShowsTheEngineAndWhatProfilingCost) {
  const std::string text = shown({});
  EXPECT_THAT(text, HasSubstr("abcdef0123456789  (native, recording cost: 1.12x the step)"));
  EXPECT_THAT(text, HasSubstr("Kernels and copies by time"));
  EXPECT_THAT(text, HasSubstr("Waits for the device, and the op that caused each"));
  EXPECT_THAT(text, HasSubstr("Peak memory while profiled"));
}

TEST(OpsReport, LeavesOutColumnsThatHoldNothing) {
  LogMaker maker;
  maker.op("aten::mm", 0, 10);
  record::Results results = profiled();
  results.launches[0].ops = ops::frames_of(ops::make_op_table(maker.log));
  const std::string text = render_ops(results, {}, Format::kTable, {.columns = 200});
  EXPECT_THAT(text, Not(HasSubstr("CUDA")));
  EXPECT_THAT(text, Not(HasSubstr("mem")));
}

TEST(OpsReport, TimesInCsvAreMicrosecondsToTheNanosecond) {
  const std::string text = shown(
      {.sort = "cpu_time_total", .columns = {"key", "cpu_time_total", "count"}}, Format::kCsv);
  EXPECT_EQ(text,
            "case,engine,kind,key,cpu_time_total,count\n"
            "abcdef0123456789,native,annotation,ProfilerStep*,2000,2\n"
            "abcdef0123456789,native,op,aten::linear,400,2\n"
            "abcdef0123456789,native,op,aten::mm,200,2\n"
            "abcdef0123456789,native,call,cudaDeviceSynchronize,80,2\n"
            "abcdef0123456789,native,call,cudaLaunchKernel,10.002,2\n"
            "abcdef0123456789,native,device,gemm,0,2\n");
}

TEST(OpsReport, SortsByAnyColumnOfTorchProfiler) {
  for (const std::string name :
       {"cpu_time", "cuda_time", "device_time", "cpu_time_total", "cuda_time_total",
        "device_time_total", "self_cpu_time_total", "self_cuda_time_total",
        "self_device_time_total", "cpu_memory_usage", "cuda_memory_usage", "self_cpu_memory_usage",
        "self_device_memory_usage", "count", "flops", "key"}) {
    EXPECT_NO_THROW((void)shown({.sort = name})) << name;
  }
}

TEST(OpsReport, SortsByTheHeadsThatItShows) {
  for (const OpColumn& column : op_columns()) {
    EXPECT_EQ(&op_column(column.head, "--sort"), &column) << column.head;
    EXPECT_EQ(&op_column(column.name, "--sort"), &column) << column.name;
  }
  EXPECT_EQ(op_column("self_cpu", "--sort").name, "self_cpu_time_total");
  EXPECT_EQ(op_column("calls", "--sort").name, "count");
  EXPECT_EQ(op_column("Self CPU", "--sort").name, "self_cpu_time_total");
}

TEST(OpsReport, LongNamesKeepTheEndThatTellsThemApart) {
  LogMaker maker;
  for (const char* of : {"ConvolutionBackward0", "NativeBatchNormBackward0"}) {
    maker.op("autograd::engine::evaluate_function: " + std::string(of), 0, 10);
  }
  record::Results results = profiled();
  results.launches[0].ops = ops::frames_of(ops::make_op_table(maker.log));
  const std::string text = render_ops(results, {}, Format::kTable, {.columns = 60});
  EXPECT_THAT(text, HasSubstr("autograd::eng…unction: ConvolutionBackward0"));
  EXPECT_THAT(text, HasSubstr("autograd::eng…ion: NativeBatchNormBackward0"));
}

TEST(OpsReport, AColumnThatDoesNotExistIsAnsweredWithTheNearest) {
  try {
    (void)shown({.sort = "self_cpu_time_totel"});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.where(), "--sort");
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'self_cpu_time_total'?"));
  }
}

TEST(OpsReport, GroupsByShapePhaseAndModule) {
  EXPECT_THAT(shown({.group_by = {"shape"}}), HasSubstr("[[8, 32], [32, 64]]"));
  EXPECT_THAT(shown({.group_by = {"phase"}}), HasSubstr("forward"));
  EXPECT_THROW((void)shown({.group_by = {"fase"}}), ConfigError);
}

TEST(OpsReport, PerStepKeepsTheOrderOfSteps) {
  const std::string text =
      shown({.row_limit = 1, .per_step = true, .columns = {"step", "key", "count"}}, Format::kCsv);
  EXPECT_EQ(text,
            "case,engine,kind,step,key,count\n"
            "abcdef0123456789,native,op,0,aten::mm,1\n"
            "abcdef0123456789,native,op,1,aten::mm,1\n");
}

TEST(OpsReport, TheRowLimitSaysHowMuchItHides) {
  EXPECT_THAT(shown({.row_limit = 2}), HasSubstr("2 of 6 rows; --row-limit 0 shows all."));
  EXPECT_THAT(shown({.row_limit = 0}), Not(HasSubstr("--row-limit")));
}

TEST(OpsReport, ResultsWithoutProfiledLaunchesSayHowToGetThem) {
  record::Results results = profiled();
  results.launches[0].ops.clear();
  try {
    (void)render_ops(results, {}, Format::kTable, {});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--profile"));
  }
}

TEST(OpsColumns, HaveDifferentNamesAndHeads) {
  std::set<std::string_view> names;
  std::set<std::string_view> heads;
  for (const OpColumn& column : op_columns()) {
    EXPECT_TRUE(names.insert(column.name).second) << column.name;
    EXPECT_TRUE(heads.insert(column.head).second) << column.head;
    EXPECT_TRUE(column.doc.ends_with('.')) << column.name;
  }
}

}  // namespace
}  // namespace stepbench::report
