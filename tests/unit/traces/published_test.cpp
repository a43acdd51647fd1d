// SPDX-License-Identifier: Apache-2.0
// Published traces: the numbers that TensorBoard's plug-in and HolisticTraceAnalysis assert for
// their own samples; for the others, that nothing breaks and nothing missing becomes a zero.
#include "harness/traces/analysis.h"
#include "harness/traces/internal/timeline.h"
#include "harness/traces/trace_files.h"
#include "tests/testing.h"
#include "tests/unit/traces/drawn_trace.h"

namespace stepbench::traces {
namespace {

class Published : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(fs::path(TRACES) / "tb_plugin")) {
      GTEST_SKIP() << "the public traces are not here";
    }
  }
  void read(const char* name) {
    trace = traces::read_trace(fs::path(TRACES) / name);
    analysis = analyse(trace);
    for (const IdleReport& report : analysis.idle) {
      for (const StepTime& step : report.steps) {
        std::int64_t sum = 0;
        for (const StepPart& part : step_parts()) sum += part.of(step);
        EXPECT_EQ(sum, step.wall_ns);
      }
    }
  }

  traces::Trace trace;
  Analysis analysis;
};

constexpr const char* kResNet =
    "tb_plugin/samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz";

double two_decimals(double percent) { return std::round(percent * 100) / 100; }

TEST_F(Published, PluginSample_MatchesItsGpuSummary) {
  read(kResNet);
  ASSERT_EQ(analysis.device_use.size(), 1U);
  const DeviceUse& use = analysis.device_use.front();
  EXPECT_EQ(use.device, 0);
  EXPECT_EQ(two_decimals(100 * *use.sm_efficiency), 54.68);
  EXPECT_EQ(two_decimals(*use.occupancy_percent), 49.13);
  EXPECT_EQ(analysis.kernels->tensor_core_ns, 0);
  EXPECT_EQ(std::round(100 * *analysis.eligible_share), 68);
}

TEST_F(Published, PluginSample_WaitsForData) {
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
  EXPECT_EQ(analysis.copies->groups.front().host, traces::MemoryKind::kPageable);
  EXPECT_EQ(analysis.copies->groups.front().count, 12);
  EXPECT_EQ(analysis.copies->groups.front().blocking, 8)
      << "the calls of the small ones return at once, but aten::copy_ waits after them";
  EXPECT_FALSE(analysis.memory);
}

// Features of foreign traces that ours lack, by file.
TEST_F(Published, OtherTraces_AreReadAsTheyAre) {
  const auto expect = [&](const char* name, const char* numbers) {
    SCOPED_TRACE(name);
    expect_numbers(numbers_of(traces::read_trace(fs::path(TRACES) / name)), numbers);
  };
  expect("hta/cpu_only/rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz",
         "idle/# = 1; scope = host; source/rank = 34; integrity/work_outside_steps/count = 4; "
         "launches = null; queues = null; kernels = null; copies = null");
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
  expect("hta/trace_compare/test/test.json.gz",
         "integrity/0/id = launches_not_linked; integrity/0/level = warning");
}

}  // namespace
}  // namespace stepbench::traces
