// SPDX-License-Identifier: Apache-2.0
// Traces that others published: the numbers that TensorBoard's plug-in asserts of its own sample,
// and of the others that nothing breaks and nothing missing becomes a zero.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "harness/analyze/analysis.h"
#include "harness/analyze/replay.h"
#include "harness/analyze/timeline.h"
#include "harness/trace/read_trace.h"
#include "tests/unit/analyze/drawn_trace.h"

namespace stepbench::analyze {
namespace {

class Published : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::filesystem::path(TRACES) / "tb_plugin")) {
      GTEST_SKIP() << "the public traces are not here";
    }
  }
  void read(const char* name) {
    trace = trace::read_trace(std::filesystem::path(TRACES) / name);
    analysis = analyse(trace);
    for (const IdleReport& report : analysis.idle) {
      for (const StepTime& step : report.steps) {
        std::int64_t sum = 0;
        for (const StepPart& part : step_parts()) sum += part.of(step);
        EXPECT_EQ(sum, step.wall_ns);
      }
    }
  }

  trace::Trace trace;
  Analysis analysis;
};

constexpr const char* kResNet =
    "tb_plugin/samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz";

double two_decimals(double percent) { return std::round(percent * 100) / 100; }

TEST_F(Published, ThePluginsSampleHasThePluginsStepTimesToTheMicrosecond) {
  read(kResNet);
  // Kernel, Memcpy, Memset, Communication, Runtime, DataLoader, CPU Exec, Other
  constexpr std::int64_t kStepsUs[6][kTensorboardRoles] = {
      {98598, 1941, 90, 0, 2796, 69317, 14091, 1115},
      {98570, 1947, 89, 0, 2762, 57669, 12968, 1148},
      {98596, 1931, 91, 0, 2877, 61257, 13768, 1213},
      {98623, 1938, 89, 0, 2841, 56453, 13420, 1200},
      {98504, 1937, 87, 0, 2788, 62690, 15025, 1141},
      {98641, 1798, 88, 0, 3381, 48185, 12773, 1117}};
  constexpr std::int64_t kTotalsUs[6] = {187948, 175153, 179733, 174564, 182172, 165983};
  ASSERT_TRUE(analysis.tensorboard);
  ASSERT_EQ(analysis.tensorboard->steps.size(), 6U);
  for (std::size_t step = 0; step < 6; ++step) {
    const TensorboardStep& found = analysis.tensorboard->steps[step];
    EXPECT_EQ(found.number, static_cast<std::int64_t>(5 + step));
    EXPECT_EQ(found.window.length_ns(), 1000 * kTotalsUs[step]);
    for (std::size_t role = 0; role < kTensorboardRoles; ++role) {
      EXPECT_EQ(found.ns[role], 1000 * kStepsUs[step][role]) << step << ' ' << role;
    }
  }
  constexpr double kMeansUs[kTensorboardRoles] = {98589, 1915, 89, 0, 2908, 59262, 13674, 1156};
  constexpr double kPercent[kTensorboardRoles] = {55.51, 1.08, 0.05, 0, 1.64, 33.37, 7.7, 0.65};
  EXPECT_EQ(std::round(analysis.tensorboard->mean_total_ns / 1000), 177592);
  for (std::size_t role = 0; role < kTensorboardRoles; ++role) {
    const double mean_ns = analysis.tensorboard->mean_ns[role];
    EXPECT_EQ(std::round(mean_ns / 1000), kMeansUs[role]);
    EXPECT_EQ(two_decimals(100 * mean_ns / analysis.tensorboard->mean_total_ns), kPercent[role]);
  }
}

TEST_F(Published, ThePluginsSampleHasThePluginsSummaryOfTheGpu) {
  read(kResNet);
  ASSERT_EQ(analysis.tensorboard->gpus.size(), 1U);
  const TensorboardGpu& gpu = analysis.tensorboard->gpus.front();
  EXPECT_EQ(gpu.device, 0);
  EXPECT_EQ(two_decimals(100 * gpu.utilization), 55.51);
  EXPECT_EQ(two_decimals(100 * *gpu.sm_efficiency), 54.68);
  EXPECT_EQ(two_decimals(*gpu.occupancy_percent), 49.13);
  EXPECT_EQ(*gpu.tensor_core_share, 0);
  EXPECT_EQ(std::round(100 * *analysis.tensorboard->eligible_share), 68);
}

TEST_F(Published, ThePluginsSampleWaitsForDataWithItsDevice) {
  read(kResNet);
  EXPECT_FALSE(analysis.blocked());
  ASSERT_EQ(analysis.idle.size(), 1U);
  ASSERT_EQ(analysis.steps.counted().size(), 4U);
  const StepTime& counted = analysis.idle.front().counted;
  EXPECT_EQ(counted.wall_ns, 708'910'000);
  EXPECT_EQ(counted.data_exposed_ns(), 238'038'000);
  EXPECT_EQ(counted.data_loading_ns, counted.data_exposed_ns() + counted.data_hidden_ns);
  ASSERT_TRUE(analysis.copies);
  ASSERT_EQ(analysis.copies->groups.size(), 1U);
  EXPECT_EQ(analysis.copies->groups.front().host, trace::MemoryKind::kPageable);
  EXPECT_EQ(analysis.copies->groups.front().count, 12);
  EXPECT_EQ(analysis.copies->groups.front().blocking, 8)
      << "the calls of the small ones return at once, but aten::copy_ waits after them";
  EXPECT_FALSE(analysis.memory);
}

// The distances that HTA's own test of its critical path asserts of this trace
// (tests/test_critical_path_analysis.py), in us.
TEST_F(Published, TheReplayOfHtasSampleHasTheDistancesThatHtaAsserts) {
  read("hta/critical_path/simple_add/benchmark_result_493459_1694039959_trace.json.gz");
  const Timeline timeline(trace);
  const StepReplay replay(timeline, analysis.steps, analysis.steps.steps.front().window);

  const auto relu = std::find_if(
      replay.pieces().begin(), replay.pieces().end(),
      [&](const HostPiece& piece) { return piece.at.begin_ns == 1'694'040'009'871'913'000; });
  ASSERT_GE(replay.pieces().end() - relu, 5);
  constexpr std::pair<std::string_view, int> kReluUs[] = {{"aten::relu_", 15},
                                                          {"aten::clamp_min_", 14},
                                                          {"cudaLaunchKernel", 17},
                                                          {"aten::clamp_min_", 15},
                                                          {"aten::relu_", 32}};
  for (auto piece = relu; const auto& [name, us] : kReluUs) {
    EXPECT_EQ(trace.names[piece->name].text, name);
    EXPECT_EQ(piece->at.length_ns(), us * 1000);
    ++piece;
  }

  const auto fft = std::find_if(
      replay.rows().begin(), replay.rows().end(),
      [&](const ReplayRow& row) { return row.at.begin_ns == 1'694'040'010'076'734'000; });
  ASSERT_GE(replay.rows().end() - fft, 2);
  EXPECT_EQ(fft->binding, RowBinding::kLaunch);
  EXPECT_EQ(fft->at.begin_ns - fft->launch_ns, 27'000);
  const auto gemm = std::find_if(fft, replay.rows().end(), [&](const ReplayRow& row) {
    return trace.names[row.name].text == "ampere_gcgemm_64x64_nt";
  });
  ASSERT_NE(gemm, replay.rows().end());
  // HTA says that the stream held it back. Its call began 10 us before the stream was free, and a
  // launch takes longer than that.
  EXPECT_EQ(gemm->binding, RowBinding::kLaunch);
  EXPECT_EQ(gemm->at.begin_ns - gemm->launch_ns, 17'000);
  EXPECT_GT(replay.launch_ns(), 17'000);
  EXPECT_EQ(gemm->previous, fft - replay.rows().begin());
  EXPECT_EQ(gemm->at.begin_ns - fft->at.end_ns, 7'000);
}

// What others' traces have that ours have not, by file.
TEST_F(Published, OthersAreReadAsWhatTheyAre) {
  const auto expect = [&](const char* name, const char* numbers) {
    SCOPED_TRACE(name);
    testing::expect_numbers(
        testing::numbers_of(trace::read_trace(std::filesystem::path(TRACES) / name)), numbers);
  };
  expect("hta/cpu_only/rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz",
         "idle/# = 1; scope = host; source/rank = 34; integrity/work_outside_steps/count = 4; "
         "hta = null; launches = null; queues = null; kernels = null; copies = null; "
         "tracelens = null");
  expect("hta/rank_non_gpu/rank_non_gpu.json.gz",
         "data_loading/calls = 1; idle_data_loading_ns = [71000]");
  expect("hta/triton_example/triton_example.json.gz",
         "integrity/clipped_steps/id = clipped_steps; other_thread = true; launches/rows = 1; "
         "launches/delay_ns/max = 0; operators/0/name = Torch-Compiled Region: 0/0; "
         "operators/0/device_ns = 1760");
  expect("hta/critical_path/simple_add/benchmark_result_493459_1694039959_trace.json.gz",
         "steps/window = host_span; integrity/no_steps/id = no_steps; source/counts/syncs = 41; "
         "integrity/external_ids_unused/id = external_ids_unused; "
         "source/counts/device_rows = 98; queues/# = 2");
  expect("hta/trace_compare/base/base.json.gz",
         "integrity/device_rows_without_call/level = warning; "
         "integrity/device_rows_without_call/count = 16; integrity/only_edge_steps/level = note");
  expect("hta/trace_compare/test/test.json.gz", "integrity/0/level = error");
}

}  // namespace
}  // namespace stepbench::analyze
