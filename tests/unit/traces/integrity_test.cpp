// SPDX-License-Identifier: Apache-2.0
// Notes on unreliable traces: rows added to a sound one.
#include "harness/traces/internal/integrity.h"

#include "tests/testing.h"
#include "tests/unit/traces/drawn_trace.h"

namespace stepbench::traces {
namespace {

// Steps with a row for every launch.
TraceMaker sound() {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 6; ++i) {
    maker.step(i, 1000 * i, 1000 * i + 1000);
    for (std::int64_t j = 0; j < 50; ++j) {
      draw(maker, "op aten::add 0 8; kernel add 6 12 < 1 5", 1, 1000 * i + 10 * j);
    }
  }
  return maker;
}

TEST(Integrity, SoundTrace_HasNoWarning) {
  for (const IntegrityNote& note : analyse(sound().finish()).integrity) {
    EXPECT_EQ(note.level, IntegrityLevel::kNote) << note.text;
  }
}

struct Added {
  const char* rows;
  std::int64_t times;  // each 10 ns later
  const char* note;
  const char* level;  // "" if the note is absent
  std::int64_t count;
};

constexpr Added kAdded[] = {
    {"call cudaLaunchKernel 505 507", 1, "launches_without_record", "warning", 1},
    {"call cuLaunchKernelEx 505 507", 4, "launches_without_record", "error", 4},
    {"call cudaLaunchKernel 5900 5901", 9, "launches_without_record", "", 0},
    {"call cudaLaunchKernel 5900 5901", 9, "launches_after_the_end", "note", 9},
    // The runtime passes it to the driver: one launch.
    {"call cudaLaunchKernel 505 509; kernel add 507 512 < cuLaunchKernel 506 508", 1,
     "launches_without_record", "", 0},
    {"call cudaStreamBeginCapture 505 507; call cudaLaunchKernel 510 515; "
     "call cudaLaunchKernel 520 525; call cudaStreamEndCapture 720 725",
     1, "launches_without_record", "", 0},
    {"call cudaStreamBeginCapture 505 507; call cudaStreamEndCapture 508 509; "
     "call cudaLaunchKernel 510 515",
     1, "launches_without_record", "warning", 1},
    {"kernel orphan 700 710", 1, "device_rows_without_call", "note", 1},
    {"kernel orphan 700 705", 20, "device_rows_without_call", "warning", 20},
    {"kernel early 600 610 < 620 630", 1, "work_before_its_call", "error", 1},
    {"step 9 6000 6900; step 9 7000 7900", 1, "missing_steps", "warning", 3},
    {"step 9 6000 6900; step 9 7000 7900", 1, "duplicate_steps", "warning", 1},
    {"step 9 6000 6900; step 9 7000 7900", 1, "steps_without_device_rows", "warning", 1},
    {"step 6 6000 6900; kernel add 6020 6030 < 6010 6015", 1, "truncated_last_step", "warning", 1},
    {"op aten::mm 800 850; op aten::mul 840 860", 1, "host_rows_cross", "warning", 1},
    {"op aten::add 10 20 pid=99 tid=99", 1, "several_processes", "warning", 2},
};

TEST(Integrity, DamagedRows_AreNoted) {
  for (const Added& each : kAdded) {
    SCOPED_TRACE(std::string(each.rows) + ": " + each.note);
    TraceMaker maker = sound();
    for (std::int64_t i = 0; i < each.times; ++i) draw(maker, each.rows, 1, 10 * i);
    const std::string path = "integrity/" + std::string(each.note);
    const std::string level = *each.level == '\0' ? "null" : each.level;
    const std::string count = *each.level == '\0' ? "null" : std::to_string(each.count);
    expect_numbers(numbers_of(maker.finish()),
                   path + "/level = " + level + "; " + path + "/count = " + count);
  }
}

TEST(Integrity, Error_BlocksNumbers) {
  TraceMaker many = sound();
  for (std::int64_t i = 0; i < 4; ++i) many.call("cuLaunchKernelEx", 505 + 10 * i, 507 + 10 * i);
  const traces::Trace trace = many.finish();
  expect_numbers(numbers_of(trace), "integrity/launches_without_record/of = 304");
  EXPECT_TRUE(blocks_numbers(analyse(trace).integrity));
  EXPECT_FALSE(blocks_numbers(analyse(sound().finish()).integrity));
}

// As in ROCm traces: a kernel has the correlation of its neighbour, or none at all.
TEST(Integrity, UnlinkedRows_AreNoLoss) {
  TraceMaker pairs;
  TraceMaker graphs;
  for (std::int64_t i = 0; i < 6; ++i) {
    pairs.step(i, 1000 * i, 1000 * i + 1000);
    graphs.step(i, 1000 * i, 1000 * i + 1000);
    for (std::int64_t at = 1000 * i; at < 1000 * i + 600; at += 30) {
      traces::TraceEvent& own = pairs.kernel("own", at + 10, at + 20);
      pairs.called(own, "hipLaunchKernel", at, at + 5);
      const std::uint64_t correlation = own.correlation;
      pairs.call("hipLaunchKernel", at + 6, at + 9);
      pairs.kernel("other", at + 20, at + 30).correlation = correlation;
      graphs.kernel("node", at + 10, at + 20);
    }
    graphs.call("hipGraphLaunch", 1000 * i + 2, 1000 * i + 9);
  }
  const char* warned =
      "integrity/launches_without_record = null; integrity/launches_not_linked/level = warning; ";
  expect_numbers(numbers_of(pairs.finish()),
                 std::string(warned) +
                     "integrity/launches_not_linked/count = 120; compute_ns = [400, 400, 400, 400, "
                     "400, 400]; kernels/rows/other/step_ns = 800");
  expect_numbers(numbers_of(graphs.finish()),
                 std::string(warned) +
                     "integrity/launches_not_linked/count = 6; kernels/rows/node/step_ns = 800");
}

// Launched before the recording, so they match no recorded launch.
TEST(Integrity, EarlierRows_ExcuseNoLoss) {
  TraceMaker maker = sound();
  for (std::int64_t i = 0; i < 9; ++i) {
    draw(maker, "kernel before -90 -85; call cudaLaunchKernel 505 507", 1, 10 * i);
  }
  expect_numbers(numbers_of(maker.finish()), "integrity/launches_without_record/count = 9");
}

TEST(Integrity, UnclearKernels_AreNamed) {
  const traces::Trace trace = drawn(
      "step 1 0 100; kernel gemm 10 60 < 5 6; kernel moe_dispatch 60 80 < 7 8; "
      "kernel ncclDevKernel_AllReduce 80 90 < 9 10");
  expect_numbers(numbers_of(trace),
                 "integrity/communication_not_told_apart/level = warning; "
                 "integrity/communication_not_told_apart/count = 1; compute_ns = [70]; "
                 "communication_ns = [10]; kernels/rows/moe_dispatch/communication = null; "
                 "kernels/rows/gemm/communication = false");
}

TEST(Integrity, UnrecordedDevice_IsAnError) {
  expect_numbers(numbers_of(drawn("step 1 0 100; call cudaLaunchKernel 10 20")),
                 "integrity/device_not_recorded/level = error; "
                 "integrity/device_not_recorded/count = 1");
}

TEST(Integrity, ClippedStep_IsNoted) {
  const traces::Trace trace =
      drawn("span 'PyTorch Profiler (0)' 0 10000000; step 0 0 50000000; op aten::mm 10 9000000");
  expect_numbers(
      numbers_of(trace),
      "integrity/clipped_steps/text ~ the summary uses it anyway, as there is no whole step");
}

TEST(Integrity, OverlappingStreamRows_AreNoted) {
  TraceMaker maker = sound();
  draw(maker, "kernel add 5502 5520; kernel add 5510 5530");
  expect_numbers(numbers_of(maker.finish()),
                 "integrity/stream_rows_overlap/id = stream_rows_overlap");
}

TEST(Integrity, RoundedTimes_MayCross) {
  traces::Trace trace = drawn("op aten::mm 0 50000; op aten::mul 49000 60000");
  expect_numbers(numbers_of(trace), "integrity/host_rows_cross/count = 1");
  trace.resolution_ns = 1000;
  expect_numbers(numbers_of(trace), "integrity/host_rows_cross = null");
}

TEST(Integrity, ProfilerAndReaderWarnings_AreKept) {
  traces::Trace trace = sound().finish();
  trace.log_lines = {"INFO: all is well", "WARN: 12 records lost\x1b[2J"};
  trace.reading.rows = 10'000;
  trace.reading.negative_durations = 3;
  trace.reading.missing_durations = 50;
  trace.reading.bare_words = 2;
  trace.reading.first_damage_at_byte = 1234;
  trace.reading.damaged_headers = 1;
  trace.reading.ignored = {{"xpu_thing", 7}};
  trace.dropped = 5;
  expect_numbers(
      numbers_of(trace),
      "integrity/profiler_log/text = the profiler reported: WARN: 12 records lost\\x1b[2J; "
      "integrity/damaged_text/level = warning; integrity/damaged_text/count = 2; "
      "integrity/damaged_text/text ~ byte 1,234; integrity/damaged_headers/level = warning; "
      "integrity/damaged_headers/count = 1; integrity/ignored_rows/level = note; "
      "integrity/ignored_rows/count = 7; integrity/dropped_records/level = warning; "
      "integrity/dropped_records/count = 5; integrity/negative_durations/level = warning; "
      "integrity/negative_durations/count = 3; integrity/missing_durations/level = error; "
      "integrity/missing_durations/count = 50; integrity/0/level = error");
}

}  // namespace
}  // namespace stepbench::traces
