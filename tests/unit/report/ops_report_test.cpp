// SPDX-License-Identifier: Apache-2.0
#include "harness/base/error.h"
#include "harness/ops/op_table.h"
#include "harness/report/internal/ops_columns.h"
#include "harness/report/result_tables.h"
#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::report {
namespace {

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
  launch.ops = ops::frames_of(table_of(maker.log));
  results.launches.push_back(std::move(launch));
  return results;
}

std::string shown(const OpsView& view, Format format = Format::kTable) {
  return render_ops(profiled(), view, format, {.columns = 200});
}

TEST(OpsReport, EmptyColumns_AreOmitted) {
  EXPECT_THAT(shown({}),
              AllOf(HasSubstr("abcdef0123456789  (native, recording cost: 1.12x the step)"),
                    HasSubstr("Kernels and copies by time"),
                    HasSubstr("Waits for the device, and the op that caused each"),
                    HasSubstr("Peak memory while profiled")));
  LogMaker maker;
  maker.op("aten::mm", 0, 10);
  record::Results results = profiled();
  results.launches[0].ops = ops::frames_of(table_of(maker.log));
  EXPECT_THAT(render_ops(results, {}, Format::kTable, {.columns = 200}),
              AllOf(Not(HasSubstr("CUDA")), Not(HasSubstr("mem"))));
}

TEST(OpsReport, CsvTimes_AreMicroseconds) {
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

TEST(OpsReport, EachTorchProfilerColumn_Sorts) {
  for (const std::string name :
       {"cpu_time", "cuda_time", "device_time", "cpu_time_total", "cuda_time_total",
        "device_time_total", "self_cpu_time_total", "self_cuda_time_total",
        "self_device_time_total", "cpu_memory_usage", "cuda_memory_usage", "self_cpu_memory_usage",
        "self_device_memory_usage", "count", "flops", "key"}) {
    EXPECT_NO_THROW((void)shown({.sort = name})) << name;
  }
}

TEST(OpsReport, EachShownHead_Sorts) {
  for (const OpColumn& column : op_columns()) {
    EXPECT_EQ(&op_column(column.head, "--sort"), &column) << column.head;
    EXPECT_EQ(&op_column(column.name, "--sort"), &column) << column.name;
  }
  EXPECT_EQ(op_column("self_cpu", "--sort").name, "self_cpu_time_total");
  EXPECT_EQ(op_column("calls", "--sort").name, "count");
  EXPECT_EQ(op_column("Self CPU", "--sort").name, "self_cpu_time_total");
}

TEST(OpsReport, LongNames_KeepTheirEnd) {
  LogMaker maker;
  for (const char* of : {"ConvolutionBackward0", "NativeBatchNormBackward0"}) {
    maker.op("autograd::engine::evaluate_function: " + std::string(of), 0, 10);
  }
  record::Results results = profiled();
  results.launches[0].ops = ops::frames_of(table_of(maker.log));
  const std::string text = render_ops(results, {}, Format::kTable, {.columns = 60});
  EXPECT_THAT(text, HasSubstr("autograd::eng…unction: ConvolutionBackward0"));
  EXPECT_THAT(text, HasSubstr("autograd::eng…ion: NativeBatchNormBackward0"));
}

// Asserts the place and the words of an error.
void expect_refused(const record::Results& results, const OpsView& view, const char* words) {
  EXPECT_THAT([&] { (void)render_ops(results, view, Format::kTable, {}); },
              ThrowsMessage<ConfigError>(HasSubstr(words)));
}

TEST(OpsReport, UnknownName_SuggestsTheNearest) {
  record::Results results = profiled();
  expect_refused(results, {.sort = "self_cpu_time_totel"}, "did you mean 'self_cpu_time_total'?");
  expect_refused(results, {.group_by = {"fase"}}, "phase");
  results.launches[0].ops.clear();
  expect_refused(results, {}, "--profile");
}

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
  launch.ops = ops::frames_of(table_of(maker.log));
  results.launches.push_back(std::move(launch));
  return results;
}

std::string modules_of(const ModulesView& view, Format format = Format::kTable) {
  return render_modules(with_modules(), view, format, {.columns = 100});
}

TEST(ModuleReport, NestedModules_AreATreePerStep) {
  EXPECT_EQ(
      modules_of({}),
      "case abcdef0123456789  (native, recording cost: unknown, no timing launch to compare)\n\n"
      "module                  time  share [%]  forward\n"
      "────────────────────────────────────────────────\n"
      "step                 1.00 ms        100   600 us\n"
      "  (model)             600 us       60.0   600 us\n"
      "    layer1            500 us       50.0   500 us\n"
      "      layer1.linear   200 us       20.0   200 us\n"
      "      layer1 (self)   300 us       30.0   300 us\n"
      "    fc                100 us       10.0   100 us\n"
      "  (outside ops)       400 us       40.0\n"
      "Per step, the mean of 2 profiled steps. Indented rows add up to the row above them.\n");
}

TEST(ModuleReport, DeeperModules_AreNoted) {
  EXPECT_THAT(modules_of({.depth = 1}),
              AllOf(Not(HasSubstr("layer1.linear")), HasSubstr("--depth 2 shows all.")));
}

TEST(ModuleReport, Siblings_AreSorted) {
  for (const char* sort : {"", "module", "-forward"}) {
    const std::string text = modules_of({.sort = sort});
    EXPECT_LT(text.find("layer1"), text.find("fc")) << sort;
  }
  EXPECT_THAT([] { (void)modules_of({.sort = "foward"}); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean 'forward'?")));
}

TEST(ModuleReport, RecordedKernels_ShowDeviceTime) {
  EXPECT_THAT(render_modules(with_modules(true), {}, Format::kTable, {.columns = 120}),
              AllOf(HasSubstr("CUDA time"), HasSubstr("layer1.linear    80.0 us        100")));
}

TEST(ModuleReport, EachFormat_HasExactSums) {
  EXPECT_THAT(modules_of({}, Format::kCsv),
              HasSubstr("abcdef0123456789,native,2,module,layer1.linear,2,400,0,0,0,0,0,0,400\n"));
  EXPECT_THAT(modules_of({}, Format::kJson),
              AllOf(HasSubstr(R"({"kind":"module","module":"fc","depth":1,"cpu_ns":200000,)"),
                    HasSubstr(R"("phases":{"forward":{"cpu_ns":200000,)")));
  EXPECT_THAT(modules_of({}, Format::kMarkdown), HasSubstr("| layer1.linear | 200 us |"));
}

TEST(ModuleReport, NoModules_NameTheOption) {
  LogMaker maker;
  maker.step(0, 0, 100);
  maker.op("aten::add", 10, 20);
  record::Results results = with_modules();
  results.launches[0].ops = ops::frames_of(table_of(maker.log));
  EXPECT_THAT([&] { (void)render_modules(results, {}, Format::kTable, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("profile: {modules: true}")));
}

TEST(RecordingCost, Factor_IsPrintedUnlessWithinNoise) {
  estimate::CaseRow timed;
  timed.step_ns = 100;
  timed.spread = estimate::Spread::kRange;
  timed.interval_ns = {90, 120};
  const auto cost = [](std::optional<double> factor, const estimate::CaseRow* row) {
    return recording_cost(factor, !factor || estimate::is_within_noise(*factor, row));
  };
  EXPECT_EQ(cost({}, nullptr), "recording cost: unknown, no timing launch to compare");
  EXPECT_EQ(cost(0.832, nullptr), "recording cost: within noise");
  EXPECT_EQ(cost(1.1, &timed), "recording cost: within noise");
  EXPECT_EQ(cost(1.4, &timed), "recording cost: 1.40x the step");
  EXPECT_EQ(cost(1.1, nullptr), "recording cost: 1.10x the step");
}

}  // namespace
}  // namespace stepbench::report
