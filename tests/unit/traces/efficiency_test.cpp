// SPDX-License-Identifier: Apache-2.0
// FLOP/s, bandwidth and lost time of operators with known shapes and kernels of known length.
#include "harness/traces/internal/device_work.h"

#include "harness/traces/analysis.h"
#include "harness/traces/trace_files.h"
#include "tests/testing.h"
#include "tests/unit/traces/drawn_trace.h"
#include "tests/unit/traces/work_maker.h"

namespace stepbench::traces {
namespace {

constexpr ShapedOp kSquare = {.shapes = "[[4096, 4096], [4096, 4096]]",
                              .types = R"(["c10::BFloat16", "c10::BFloat16"])"};
constexpr std::string_view kH100 = "NVIDIA H100 80GB HBM3";

// Three steps of 1 ms, in each of which the operator launches a kernel of `kernel_us`.
TraceMaker three_steps(const ShapedOp& op, std::int64_t kernel_us,
                       std::string_view kernel = "gemm") {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t at_ns = i * 1000 * kUs;
    maker.step(i, at_ns, at_ns + 1000 * kUs);
    shaped_op(maker, maker.main, op, at_ns + 10 * kUs, at_ns + 30 * kUs);
    traces::TraceEvent& row =
        maker.kernel(kernel, at_ns + 40 * kUs, at_ns + (40 + kernel_us) * kUs);
    maker.called(row, "cudaLaunchKernel", at_ns + 12 * kUs, at_ns + 14 * kUs);
  }
  return maker;
}

Efficiency efficiency_of(const traces::Trace& trace) {
  const Analysis analysis = analyse(trace);
  EXPECT_TRUE(analysis.efficiency) << analysis.efficiency.reason();
  return analysis.efficiency ? *analysis.efficiency : Efficiency{};
}

// A product of 4096 x 4096 matrices in bf16 that takes 200 us.
TEST(Efficiency, Rate_UsesTheKernelTimeOfTheOperator) {
  TraceMaker maker = three_steps(kSquare, 200);
  name_device(maker, kH100);
  const Efficiency found = efficiency_of(maker.finish());
  ASSERT_EQ(found.rows.size(), 1);
  const EfficiencyRow& row = found.rows.front();
  constexpr double kFlops = 2.0 * 4096 * 4096 * 4096;
  EXPECT_EQ(row.calls, 3);
  EXPECT_EQ(row.in_steps.calls, 1) << "the step between the first and the last";
  EXPECT_EQ(row.time_ns, 600 * kUs);
  EXPECT_EQ(double(row.flops()), kFlops);
  EXPECT_EQ(row.bytes(), 3LL * 4096 * 4096 * 2);
  EXPECT_DOUBLE_EQ(row.flops_per_s(), kFlops / 200e-6);  // 687 TFLOP/s
  EXPECT_DOUBLE_EQ(*row.peak_share, kFlops / 200e-6 / 989.5e12);
  EXPECT_DOUBLE_EQ(*row.bytes_per_s(), 3.0 * 4096 * 4096 * 2 / 200e-6);
  EXPECT_DOUBLE_EQ(*row.intensity(), 4096.0 / 3);
  EXPECT_DOUBLE_EQ(*row.ridge, 989.5e12 / 3350e9) << "arithmetic is the bound";
  EXPECT_NEAR(*row.step_lost_ns, 200e3 - kFlops / 989.5e12 * 1e9, 1e-6);
  EXPECT_DOUBLE_EQ(found.step_flops, kFlops);
  EXPECT_EQ(found.known_ns, found.work_ns);
}

struct Held {
  const char* name;
  std::string_view shapes;
  std::string_view types;
  std::int64_t kernel_us;
  std::string_view kernel;
  std::string_view device;
  const char* numbers;
};

TEST(Efficiency, KnownPeak_GivesAShareOfIt) {
  constexpr std::string_view kSingle = R"(["float", "float"])";
  constexpr Held kHeld[] = {
      // 33,570,816 bytes at 3350e9 bytes/s, divided by 20 us.
      {"a thin product is bound by memory", "[[1, 4096], [4096, 4096]]", kSquare.types, 20, "gemm",
       kH100, "rows/0/roofline_share = 0.5010569552238806"},
      {"a device without a name", kSquare.shapes, kSquare.types, 200, "gemm", "",
       "no_peaks = the trace does not name its device; rows/0/flops_per_s = 687194767360000; "
       "rows/0/peak_share = null; rows/0/step_lost_ns = null"},
      {"an unknown device", kSquare.shapes, kSquare.types, 200, "gemm", "Voodoo 2",
       "no_peaks = the peaks of Voodoo 2 are unknown"},
      {"without types", kSquare.shapes, "", 200, "gemm", kH100,
       "rows/0/flops_per_s = 687194767360000; rows/0/bytes = null; rows/0/peak_share = null"},
      {"kernels that say tf32", kSquare.shapes, kSingle, 400,
       "sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize", kH100, "rows/0/peak_flops = 494.5e12"},
      {"kernels that do not", kSquare.shapes, kSingle, 3000, "ampere_sgemm_128x64_nn", kH100,
       "rows/0/peak_flops = 67e12"}};
  for (const Held& each : kHeld) {
    SCOPED_TRACE(each.name);
    TraceMaker maker =
        three_steps({.shapes = each.shapes, .types = each.types}, each.kernel_us, each.kernel);
    if (!each.device.empty()) name_device(maker, each.device);
    const Json all = numbers_of(maker.finish());
    Json found;
    found["blocks"] = all["blocks"]["efficiency"];
    expect_numbers(found, each.numbers);
  }
}

TEST(Efficiency, NestedOperators_CountTheInnermost) {
  TraceMaker maker;
  constexpr std::string_view kShapes = "[[8, 64, 56, 56], [64, 64, 3, 3], [], [], [], [], []]";
  shaped_op(maker, maker.main,
            {.name = "aten::conv2d",
             .shapes = kShapes,
             .arguments = R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "1"])"},
            0, 100 * kUs);
  shaped_op(maker, maker.main,
            {.name = "aten::convolution",
             .shapes = kShapes,
             .arguments = R"(["", "", "", "[1, 1]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"])"},
            10 * kUs, 90 * kUs);
  maker.called(maker.kernel("implicit_gemm", 100 * kUs, 150 * kUs), "cudaLaunchKernel", 20 * kUs,
               22 * kUs);
  const traces::Trace trace = maker.finish();
  const Efficiency found = efficiency_of(trace);
  ASSERT_EQ(found.rows.size(), 1);
  EXPECT_EQ(trace.names[found.rows.front().name].text, "aten::convolution");
  EXPECT_EQ(found.rows.front().time_ns, 50 * kUs);
}

TEST(Efficiency, Backward_IsFoundByAutograd) {
  TraceMaker maker = three_steps(kSquare, 100);
  const std::uint32_t autograd = maker.builder.host_lane(4711, 4712);
  maker.row(autograd, traces::EventKind::kOp, "autograd::engine::evaluate_function: MmBackward0",
            1300 * kUs, 1400 * kUs);
  shaped_op(maker, autograd, kSquare, 1310 * kUs, 1350 * kUs);
  traces::TraceEvent& row = maker.kernel("gemm", 1400 * kUs, 1550 * kUs, 7);
  row.correlation = 7777;
  maker.row(autograd, traces::EventKind::kRuntime, "cudaLaunchKernel", 1320 * kUs, 1321 * kUs)
      .correlation = 7777;
  const Efficiency found = efficiency_of(maker.finish());
  ASSERT_EQ(found.rows.size(), 2);
  EXPECT_TRUE(found.rows[0].backward) << "150 us of the step that counts";
  EXPECT_EQ(found.rows[0].in_steps.ns, 150 * kUs);
  EXPECT_FALSE(found.rows[1].backward);
}

TEST(Efficiency, UncountedOperators_HaveAReason) {
  TraceMaker maker = three_steps({.shapes = "[[s0, 8], [8, 8]]"}, 100);
  shaped_op(maker, maker.main, {}, 1500 * kUs, 1520 * kUs);
  maker.called(maker.kernel("gemm", 1530 * kUs, 1535 * kUs), "cudaLaunchKernel", 1501 * kUs,
               1502 * kUs);
  shaped_op(maker, maker.main,
            {.name = "aten::conv2d", .shapes = "[[1, 2, 8, 8], [2, 2, 1, 1], [], [], [], [], []]"},
            1600 * kUs, 1620 * kUs);
  maker.called(maker.kernel("conv", 1630 * kUs, 1637 * kUs), "cudaLaunchKernel", 1601 * kUs,
               1602 * kUs);
  maker.kernel("triton_poi_fused_add_0", 1700 * kUs, 1750 * kUs);
  const Efficiency found = efficiency_of(maker.finish());
  EXPECT_TRUE(found.rows.empty());
  ASSERT_EQ(found.uncounted.size(), 3);
  EXPECT_EQ(found.uncounted[0].time_ns, 5 * kUs);
  EXPECT_THAT(found.uncounted[0].reason, HasSubstr("record_shapes"));
  EXPECT_EQ(found.uncounted[1].calls, 3);
  EXPECT_THAT(found.uncounted[1].reason, HasSubstr("symbolic"));
  EXPECT_EQ(found.uncounted[2].time_ns, 7 * kUs);
  EXPECT_THAT(found.uncounted[2].reason, HasSubstr("strides"));
  EXPECT_EQ(found.fused_ns, 50 * kUs);
}

TEST(Efficiency, NoDevice_RatesTheHost) {
  TraceMaker maker;
  maker.step(0, 0, 1000 * kUs);
  shaped_op(maker, maker.main, {.shapes = "[[64, 64], [64, 64]]", .types = R"(["float", "float"])"},
            0, 100 * kUs);
  const Efficiency found = efficiency_of(maker.finish());
  EXPECT_TRUE(found.on_host);
  EXPECT_DOUBLE_EQ(found.rows.front().flops_per_s(), 2.0 * 64 * 64 * 64 / 100e-6);
  EXPECT_THAT(found.no_peaks, HasSubstr("no device"));
}

// The sheets that TraceLens publishes for a trace of an H100.
TEST(Efficiency, PublishedTrace_MatchesTraceLens) {
  const traces::Trace trace = traces::read_trace(DATA "/tracelens/bert_small.json.gz");
  const Efficiency found = efficiency_of(trace);
  std::ifstream sheet(DATA "/tracelens/bert_small.tsv");
  std::string line;
  std::size_t rows = 0;
  while (std::getline(sheet, line)) {
    if (line.starts_with('#')) continue;
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, '\t');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 6) << line;
    const auto row =
        std::find_if(found.rows.begin(), found.rows.end(), [&](const EfficiencyRow& each) {
          return trace.names[each.name].text == cells[1] && trace.text(each.shapes) == cells[2];
        });
    ASSERT_NE(row, found.rows.end()) << line;
    EXPECT_EQ(row->calls, std::stoll(cells[3])) << line;
    EXPECT_NEAR(double(row->time_ns) / 1e3, std::stod(cells[4]), 0.5) << line;
    // Theirs is the mean of the calls' rates.
    EXPECT_NEAR(row->flops_per_s() / 1e12, std::stod(cells[5]), 0.05 * std::stod(cells[5])) << line;
    ++rows;
  }
  EXPECT_EQ(rows, found.rows.size());
}

}  // namespace
}  // namespace stepbench::traces
