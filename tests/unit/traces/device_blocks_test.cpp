// SPDX-License-Identifier: Apache-2.0
// Launches and their queues, copies, kernels, operators, calls, fetches of data and memory of
// hand-made traces.
#include "harness/findings/finding.h"
#include "harness/traces/rules.h"

#include "tests/testing.h"
#include "tests/unit/traces/drawn_trace.h"

namespace stepbench::traces {
namespace {

constexpr Drawn kInUs[] = {
    // Nothing ran before a; b waited for a; c began while its call was still running.
    {"the delay of a launch counts from the end of its call",
     "kernel a 30 50 < 0 10; kernel b 50 55 < cuLaunchKernelEx 12 20; "
     "kernel c 60 61 < hipLaunchKernel 58 70",
     "launches/calls = 3; launches/rows = 3; launches/delay_ns/max = 30000; "
     "launches/delay_ns/min = 0; launches/delay_ns/median = 20000; launches/short_kernels = 2; "
     "launches/idle_delay_ns = 20000"},
    {"copies from pageable memory block their call: it began 500 us early, 400 of them busy",
     "step 1 0 5000; kernel gemm 100 900; "
     "copy up 1000 3000 bytes=20000000 < cudaMemcpyAsync 500 2950",
     "copies/groups/# = 1; copies/groups/0/name = Memcpy HtoD (Pageable -> Device); "
     "copies/groups/0/blocking = 1; copies/groups/0/bytes = 20000000; "
     "copies/groups/0/bytes_per_ns/median = 10; copies/groups/0/exposed_ns = 2000000; "
     "copies/groups/0/call_ns = 2450000; copies/groups/0/wait_busy_ns = 400000; "
     "copies/groups/0/wait_idle_ns = 100000"},
    {"copies from pinned memory block where their call outlasts them",
     "step 1 0 5000; copy pinned 20 60 bytes=4096 < cudaMemcpyAsync 0 10; "
     "copy pinned 120 160 bytes=4096 < cudaMemcpyAsync 100 200; "
     "copy pinned 320 360 bytes=4096 < cudaMemcpy 300 340",
     "copies/groups/# = 1; copies/groups/0/count = 3; copies/groups/0/blocking = 2"},
    {"a copy is exposed where no kernel runs, and its bytes may not be told",
     "step 1 0 5000; kernel gemm 0 100; copy pinned 80 130 < cudaMemcpyAsync 0 1",
     "copies/groups/0/device_ns = 50000; copies/groups/0/exposed_ns = 30000; "
     "copies/groups/0/bytes = null"},
    {"copies count in the steps that the summary is based on",
     "step 0 0 100; step 1 100 200; step 2 200 300; step 3 300 400; "
     "copy pinned 10 20 bytes=1000 < cudaMemcpyAsync 0 1; "
     "copy pinned 110 120 bytes=1000 < cudaMemcpyAsync 100 101; "
     "copy pinned 210 220 bytes=1000 < cudaMemcpyAsync 200 201; "
     "copy pinned 310 320 bytes=1000 < cudaMemcpyAsync 300 301",
     "copies/groups/# = 1; copies/groups/0/count = 4; copies/groups/0/in_steps = 2; "
     "copies/groups/0/bytes = 2000"},
    {"kernels add up by name and are weighed by time",
     "step 0 0 100; step 1 100 200; step 2 200 300; kernel gemm 10 40 occupancy=50 < 8 9; "
     "kernel gemm 110 120 occupancy=90 < 108 109; kernel add 120 122 occupancy=100 < 118 119; "
     "kernel add 130 132 occupancy=100 < 128 129; kernel add 220 222 occupancy=100 < 218 219; "
     "kernel nvjet_tst_128x64 230 235 occupancy=10 < 228 229",
     "kernels/calls = 6; kernels/total_ns = 51000; kernels/rows/0/name = gemm; "
     "kernels/rows/gemm/calls = 2; kernels/rows/gemm/min_ns = 10000; "
     "kernels/rows/gemm/max_ns = 30000; kernels/rows/gemm/occupancy_percent = 60; "
     "kernels/rows/gemm/blocks_per_sm = null; kernels/rows/gemm/step_calls = 1; "
     "kernels/tiny = 4; kernels/tiny_in_steps = 2; kernels/tensor_core_ns = 0"},
};

TEST(DeviceBlocks, MicrosecondExamples_Match) { expect_all(kInUs, kUs); }

constexpr Drawn kInNs[] = {
    {"the queue grows with the call and shrinks with the work: 1, 2, 3 for 10, 2 for 20, 1 for 10",
     "kernel a 30 50 < 0 10; kernel b 50 60 < 10 20; kernel c 60 90 < 20 30",
     "queues/# = 1; queues/0/max = 3; queues/0/mean_at_changes = 1.5; "
     "queues/0/mean = 1.8333333333333333; queues/0/median = 2; queues/0/p95 = 3; "
     "queues/0/full_ns = 0"},
    {"without calls there are no launches, and without copies none", "kernel gemm 30 60",
     "launches = null; launches_reason = the trace has no calls of the runtime or the driver; "
     "queues = null; copies = null; copies_reason = the trace has no copies"},
    {"an operator's own time is without children and calls",
     "step 1 0 1000; op aten::linear 100 400; op aten::addmm 150 350; "
     "kernel gemm 500 800 < 200 260; kernel bias 800 850 < 370 380",
     "operators/aten::linear/host_ns = 300; operators/aten::linear/self_host_ns = 90; "
     "operators/aten::linear/device_ns = 350; operators/aten::linear/self_device_ns = 50; "
     "operators/aten::addmm/self_host_ns = 140; operators/aten::addmm/self_device_ns = 300; "
     "operators/aten::addmm/tensor_core_eligible = true"},
    {"an operator that only calls itself counts once",
     "step 1 0 1000; op aten::to 100 200; op aten::to 110 190; op aten::copy_ 120 180; "
     "kernel copy 300 350 < 130 140",
     "operators/aten::to/calls = 1; operators/aten::to/host_ns = 100; "
     "operators/aten::to/self_host_ns = 40; operators/aten::to/device_ns = 50"},
    {"steps, fetches and annotations are no operators",
     "step 1 0 1000; load 0 100; op aten::stack 10 50; note 'my region' 200 500; "
     "note Optimizer.step#SGD.step 600 700; op aten::add_ 610 640",
     "operators/# = 2; operators/aten::add_/calls = 1; operators/aten::stack/calls = 1"},
    {"calls add up by name in the counted steps",
     "step 0 0 100; step 1 100 200; step 2 200 300; op aten::item 10 60; op aten::item 110 160; "
     "op aten::item 210 260; call cudaStreamSynchronize 20 40; call cudaMalloc 70 75; "
     "call cudaStreamSynchronize 120 141; call cudaMalloc 170 175; "
     "call cudaStreamSynchronize 220 242",
     "runtime_calls/cudaStreamSynchronize/calls = 3; "
     "runtime_calls/cudaStreamSynchronize/step_calls = 1; "
     "runtime_calls/cudaStreamSynchronize/step_ns = 21; "
     "runtime_calls/cudaStreamSynchronize/longest_op = aten::item; "
     "runtime_calls/cudaMalloc/longest_op = null"},
    {"the first fetch of data is told from the others",
     "step 0 0 200; step 1 200 400; step 2 400 600; step 3 600 800; load 0 90; load 200 210; "
     "load 400 420; load 600 630; kernel gemm 5 15; kernel gemm 205 215; kernel gemm 405 415; "
     "kernel gemm 605 615",
     "data_loading/calls = 4; data_loading/first_ns = 90; data_loading/later_ns/median = 20; "
     "data_loading/interval_ns/median = 200; idle_data_loading_ns = [80, 5, 10, 20]"},
};

TEST(DeviceBlocks, NanosecondExamples_Match) { expect_all(kInNs); }

// Nothing is known about a kernel that was launched before the recording began.
TEST(Launches, LastStep_IsExcluded) {
  expect_numbers(numbers_of(drawn("step 1 0 100; step 2 100 200; kernel gemm 20 60 < 10 15; "
                                  "kernel gemm 105 115 < 90 95; kernel gemm 130 180 < 120 125; "
                                  "kernel orphan 5 8")),
                 "launches/rows = 2; launches/calls = 2; queues/# = 1");
}

TEST(Launches, LongDelay_CountsWhileDeviceIdle) {
  const traces::Trace trace = drawn(
      "op aten::mm 0 8; kernel busy 10 400 < 1 2; op aten::add 10 20; kernel queued 400 410 < 12 "
      "14; "
      "op aten::mul 500 510; kernel late 700 710 < 502 504",
      kUs);
  const Analysis analysis = analyse(trace);
  EXPECT_EQ(analysis.launches->long_delays, 2);
  ASSERT_EQ(analysis.launches->worst.size(), 1U);
  const DelayedLaunch& worst = analysis.launches->worst.front();
  EXPECT_EQ(trace.names[worst.name].text, "late");
  EXPECT_EQ(trace.names[worst.op].text, "aten::mul");
  EXPECT_EQ(worst.idle_ns, 196 * kUs);
}

TEST(Launches, Graph_CountsOnce) {
  TraceMaker graph;
  traces::TraceEvent& first = graph.kernel("a", 20, 30);
  graph.called(first, "cudaGraphLaunch", 0, 10);
  const std::uint64_t correlation = first.correlation;
  graph.kernel("b", 30, 40).correlation = correlation;
  graph.kernel("c", 20, 35, 8).correlation = correlation;
  expect_numbers(numbers_of(graph.finish()), "launches/calls = 1; launches/rows = 3");
}

// Full from the 1024th call at 1023 until the 7th row at 10,006.
TEST(LaunchQueue, WaitingLaunches_FillItAt1024) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 1030; ++i) draw(maker, "kernel k 10000 10001 < 0 1", 1, i);
  expect_numbers(numbers_of(maker.finish()), "queues/0/max = 1030; queues/0/full_ns = 8983");
}

TEST(KernelTable, ProbableTensorCores_AreFoundByName) {
  const traces::Trace trace = drawn(
      "step 0 0 100; kernel gemm 10 40; kernel add 50 52; kernel add 60 62; "
      "kernel nvjet_tst_128x64 70 75");
  const Kernels kernels = *analyse(trace).kernels;
  EXPECT_EQ(trace.names[kernels.rows[kernels.by_calls.front()].name].text, "add");
  EXPECT_EQ(kernels.probably_tensor_core_ns, 5);
}

struct MakerCase {
  const char* device;  // empty: the trace does not describe the device
  int compute_major;
  int warp_size;
  const char* launch;
  const char* tensor_cores;
};

TEST(KernelTable, TensorCores_AreKnownForSomeMakers) {
  const MakerCase kMakers[] = {
      {"Tesla V100-DGXS-32GB", 7, 32, "cudaLaunchKernel", "false"},
      {"AMD Instinct MI300X", 9, 64, "hipLaunchKernel", "null"},
      {"AMD Radeon RX 7900 XTX", 11, 32, "hipLaunchKernel", "null"},
      {"Intel(R) Arc(TM) B580 Graphics", 0, 32, "urEnqueueKernelLaunch", "null"},
      {"", 0, 32, "cudaLaunchKernel", "false"},
      {"", 0, 32, "hipLaunchKernel", "null"}};
  for (const MakerCase& each : kMakers) {
    SCOPED_TRACE(each.device);
    traces::Trace trace =
        drawn("step 1 0 100; kernel gemm 10 40 < " + std::string(each.launch) + " 5 6");
    if (*each.device != '\0') {
      trace.devices.push_back({.id = 0,
                               .name = each.device,
                               .compute_major = each.compute_major,
                               .warp_size = each.warp_size});
    }
    expect_numbers(numbers_of(trace),
                   "kernels/rows/gemm/tensor_cores = " + std::string(each.tensor_cores) +
                       (*each.device == '\0'
                            ? std::string()
                            : "; source/devices/0/compute_major = " +
                                  (each.compute_major == 0 ? std::string("null")
                                                           : std::to_string(each.compute_major))));
    const std::vector<Finding> found = find_causes(trace, analyse(trace), {});
    const auto rule = std::ranges::find(found, "trace.tensor_cores_unused", &Finding::id);
    const bool other = std::string_view(each.tensor_cores) == "null" && *each.device != '\0';
    EXPECT_EQ(rule != found.end() && rule->undecided.find(each.device) != std::string::npos &&
                  *each.device != '\0',
              other);
  }
}

TEST(MemoryPeaks, EachDevice_HasItsMaximum) {
  TraceMaker maker;
  maker.op("aten::empty", 0, 10);
  for (const auto& [at, total] : {std::pair(1, 100), std::pair(2, 500), std::pair(3, 200)}) {
    maker.builder.add(traces::TraceMemory{
        .at_ns = at, .bytes = 1, .total_allocated = total, .total_reserved = 600, .device = 0});
  }
  traces::Trace trace = maker.finish();
  trace.devices.push_back({.id = 0, .total_memory_bytes = 1000});
  expect_numbers(numbers_of(trace),
                 "memory/# = 1; memory/0/allocated_bytes = 500; memory/0/at_ns = 2; "
                 "memory/0/total_bytes = 1000");
}

}  // namespace
}  // namespace stepbench::traces
