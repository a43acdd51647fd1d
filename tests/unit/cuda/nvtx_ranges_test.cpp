// SPDX-License-Identifier: Apache-2.0
// The view of an NVTX tool, in separate processes: NVTX starts its tool once per process.
#include "harness/cuda/internal/nvtx_ranges.h"

#include "harness/catalogue/catalogue.h"
#include "harness/os/process.h"
#include "harness/worker/internal/window_samples.h"
#include "tests/testing.h"
#include "tests/unit/cuda/note_sink.h"
#include "tests/unit/cuda/scripted_cuda.h"

namespace stepbench::cuda {
namespace {

std::vector<std::string> heard(const std::string& argument, bool counts_alone = false) {
  const fs::path log = fs::temp_directory_path() /
                       ("stepbench-nvtx-" + std::to_string(::getpid()) + "-" + argument + ".log");
  const os::CommandResult result = os::run_command(
      {"env", "NVTX_INJECTION64_PATH=" NVTX_INJECTION, "STEPBENCH_NVTX_LOG=" + log.string(),
       counts_alone ? "STEPBENCH_NVTX_COUNTS=1" : "STEPBENCH_NVTX_LINES=1", NVTX_PROGRAM, argument},
      "", std::chrono::minutes(10));
  EXPECT_EQ(result.exit_status, 0) << result.err;
  std::vector<std::string> lines;
  std::ifstream in(log);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  fs::remove(log);
  return lines;
}

std::vector<std::string> ranges_of(int step) {
  return {"stepbench push ProfilerStep#" + std::to_string(step),
          "stepbench push forward",
          "stepbench pop",
          "stepbench push backward",
          "stepbench pop",
          "stepbench pop"};
}

TEST(NvtxRanges, StepsAndPhases_AreMarkedInWindowsOnly) {
  std::vector<std::string> expected;
  for (const int step : {2, 3, 4, 7, 8, 9}) {  // a cycle is wait, warm-up and three steps
    for (const std::string& line : ranges_of(step)) expected.push_back(line);
  }
  EXPECT_THAT(heard("plain"), ElementsAreArray(expected));
}

TEST(NvtxRanges, FailedStep_LeavesThemBalanced) {
  const std::vector<std::string> lines = heard("throw");
  ASSERT_GE(lines.size(), 6U);
  EXPECT_THAT(std::vector<std::string>(lines.end() - 6, lines.end()),
              ElementsAreArray(ranges_of(9)));
}

TEST(NvtxRanges, Rank_IsAThreadName) {
  EXPECT_THAT(heard("rank"), Contains("thread rank 1 of 2").Times(1));
  EXPECT_THAT(heard("plain"), Not(Contains(HasSubstr("thread"))));
}

TEST(NvtxRanges, ManySteps_RegisterNothingNew) {
  EXPECT_THAT(heard("many", true),
              ElementsAre("domains 1", "strings " + std::to_string(built_in_phases().size()),
                          "ranges 300000", "open 0", "deepest 2"));
}

struct Capture {
  explicit Capture(std::optional<int> device = std::nullopt)
      : ranges(make_nvtx_ranges(cuda.api(),
                                {.phase_names = {}, .capture_range = true, .device = device})) {
    EXPECT_EQ(ranges->exercise(), std::nullopt);
    cuda.keep_log = true;
  }
  // The instrument's device calls in one cycle.
  std::vector<std::string> calls_of_a_cycle(bool cut) {
    ranges->change(Action::kNone, Action::kWarmup);
    cuda.log.emplace_back("warm-up");
    ranges->change(Action::kWarmup, Action::kRecord);
    cuda.log.emplace_back("step");
    if (cut) {
      ranges->change(Action::kRecord, Action::kNone);
    } else {
      ranges->change(Action::kRecord, Action::kRecordAndSave);
      cuda.log.emplace_back("step");
      Series cycle;
      ranges->add_columns(cycle);
      ranges->change(Action::kRecordAndSave, Action::kNone);
    }
    cuda.log.emplace_back("over");
    return cuda.log;
  }
  ScriptedClock clock;
  ScriptedCuda cuda{clock};
  std::unique_ptr<Instrument> ranges;
};

TEST(NvtxRanges, CaptureRange_IsTheActiveWindow) {
  Capture second(1);
  EXPECT_THAT(second.calls_of_a_cycle(false),
              ElementsAre("warm-up", "set_device", "synchronize", "profiler_start", "step", "step",
                          "profiler_stop", "over"));
  EXPECT_EQ(second.cuda.device, 1) << "waiting for another one would make a context there";
  EXPECT_THAT(Capture().calls_of_a_cycle(false),
              ElementsAre("warm-up", "profiler_start", "step", "step", "profiler_stop", "over"))
      << "steps on the CPU touch no device";
  EXPECT_THAT(Capture().calls_of_a_cycle(true),
              ElementsAre("warm-up", "profiler_start", "step", "profiler_stop", "over"))
      << "a window that is cut";
}

TEST(NvtxRanges, AdjacentWindows_AreCapturedEach) {
  Capture capture;
  Series cycle;
  const auto& ranges = capture.ranges;
  ranges->change(Action::kNone, Action::kRecordAndSave);
  ranges->add_columns(cycle);
  ranges->change(Action::kRecordAndSave, Action::kRecordAndSave);
  ranges->add_columns(cycle);
  EXPECT_EQ(capture.cuda.calls["profiler_start"], 2);
  EXPECT_EQ(capture.cuda.calls["profiler_stop"], 2);
}

TEST(NvtxRanges, NoRuntime_RefusesACaptureRange) {
  const auto capture = make_nvtx_ranges(std::nullopt, {.phase_names = {}, .capture_range = true});
  EXPECT_EQ(capture->exercise(), "capture_range needs the CUDA runtime");
  EXPECT_EQ(make_nvtx_ranges(std::nullopt, {})->exercise(), std::nullopt);
}

TEST(NvtxRanges, FailingProfiler_IsReported) {
  Capture capture;
  capture.cuda.failing["profiler_start"] = 999;
  (void)capture.calls_of_a_cycle(false);
  NoteSink said;
  capture.ranges->report(said);
  EXPECT_THAT(said.notes, Contains(HasSubstr("cudaProfilerStart: cudaError999 (999)")));
}

}  // namespace
}  // namespace stepbench::cuda
