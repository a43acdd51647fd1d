// SPDX-License-Identifier: Apache-2.0
// Steps composed so that what they wait for is known.
#include "harness/analyze/critical_path.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/analyze/drawn_trace.h"
#include "tests/unit/analyze/random_trace.h"

namespace stepbench::analyze {
namespace {

using testing::kUs;
using testing::TraceMaker;

// Of three steps of 100 us that are drawn alike the one in the middle counts.
constexpr testing::Drawn kPaths[] = {
    {"a step that waits for its device goes along the device",
     "copy pinned 4 24 stream=7 bytes=4096 < cudaMemcpyAsync 1 2; kernel gemm 24 94 < 3 4; "
     "call cudaDeviceSynchronize 10 96",
     "critical_path/path_ns = 100000; critical_path/parts/compute_ns = 70000; "
     "critical_path/parts/copy_ns = 20000; critical_path/parts/launch_ns = 3000; "
     "critical_path/parts/wait_ns = 2000; critical_path/parts/unknown_ns = 5000"},
    {"a step of the host leaves the device out", "op aten::mul 0 100; kernel mul 20 30 < 10 11",
     "critical_path/parts/operators_ns = 99000; critical_path/parts/launch_ns = 1000"},
    {"exposed loading is on the path, with the operators of the data set in it",
     "load 0 40; op aten::to 5 20; kernel gemm 55 90 < 50 51; call cudaStreamSynchronize 52 91",
     "critical_path/parts/data_loading_ns = 40000"},
    {"loading that hides behind work which the step launched is not on the path",
     "kernel gemm 5 98 < 1 2; load 10 60; call cudaDeviceSynchronize 60 99",
     "critical_path/parts/data_loading_ns = 0; critical_path/parts/compute_ns = 93000"},
    {"a row waited, it is guessed, for the stream that had just ended",
     "kernel backward 10 40 < 1 2; kernel ncclDevKernel_AllReduce_Sum_f32 12 70 stream=30 < 3 4; "
     "kernel optimizer 72 90 < 5 6; call cudaDeviceSynchronize 8 92",
     "critical_path/guessed_waits = 1; critical_path/parts/communication_ns = 58000; "
     "critical_path/parts/queue_ns = 2000"},
    {"a copy is waited for inside its own call",
     "copy pinned 15 48 stream=7 bytes=4096 < cudaMemcpyAsync 10 50; op aten::relu 60 100",
     "critical_path/parts/copy_ns = 33000"},
};

TEST(CriticalPath, GoesAlongWhatTheStepWaitsFor) {
  for (const testing::Drawn& each : kPaths) {
    SCOPED_TRACE(each.name);
    TraceMaker maker;
    for (std::int64_t i = 0; i < 3; ++i) {
      const std::int64_t begin_ns = i * 100 * kUs;
      maker.step(i, begin_ns, begin_ns + 100 * kUs);
      testing::draw(maker, each.rows, kUs, begin_ns);
    }
    const testing::Json all = testing::numbers_of(maker.finish(), {.critical_path = true});
    testing::expect_numbers(all, each.numbers);
  }
}

TEST(CriticalPath, IsNotToldWhereDeviceRowsHaveNoCalls) {
  const trace::Trace trace =
      testing::drawn("step 0 0 100; op aten::mm 0 50; kernel gemm 10 40", kUs);
  const Analysis analysis = analyse(trace, {.critical_path = true});
  ASSERT_TRUE(analysis.critical_path);
  EXPECT_FALSE(*analysis.critical_path);
  EXPECT_TRUE(
      analysis.critical_path->reason().starts_with("100 % of the devices' time has no call"));
  EXPECT_FALSE(analyse(trace).critical_path) << "nobody asked";
}

TEST(CriticalPath, OfEveryTrace_SumsToTheWhole) {
  int told = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const trace::Trace trace = testing::trace_of_rows(testing::RandomTrace(seed, 20'000, 1).rows());
    const Timeline timeline(trace);
    const ValueOrReason<CriticalPath> path = find_critical_path(timeline, find_steps(timeline));
    if (!path) continue;
    ++told;
    ASSERT_EQ(std::accumulate(path->ns.begin(), path->ns.end(), std::int64_t{0}), path->path_ns)
        << seed;
  }
  EXPECT_GT(told, 20);
}

}  // namespace
}  // namespace stepbench::analyze
