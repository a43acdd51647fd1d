// SPDX-License-Identifier: Apache-2.0
// The steps of hand-made traces. Times are in nanoseconds.
#include "harness/traces/internal/steps.h"

#include "tests/testing.h"
#include "tests/unit/traces/drawn_trace.h"

namespace stepbench::traces {
namespace {

constexpr Drawn kSteps[] = {
    {"from one start to the next, and the last to its own end",
     "step 5 0 90; step 6 100 190; step 7 200 280; op aten::mm 10 20",
     "steps/window = host_step; windows = [[0,100],[100,200],[200,280]]; steps/reason = null; "
     "steps/steps/1/number = 6; steps/steps/0/edge = true; steps/steps/1/edge = false; "
     "steps/steps/2/edge = true; steps/counted = [1]"},
    {"with their own row's end before a gap in their numbers",
     "step 5 0 90; step 8 100 190; step 8 300 310; op aten::mm 10 20",
     "windows = [[0,90],[100,190]]; gaps_in_numbers = 2; duplicates = 1"},
    {"without marks all ops are one step",
     "op aten::mm 10 20; op aten::add 40 70; note 'whole script' 0 500",
     "steps/window = host_span; windows = [[10,70]]; steps/reason ~ no ProfilerStep rows"},
    {"without marks it reaches to the end of the device's work",
     "op aten::mm 10 20; kernel gemm 30 500 < 12 15",
     "steps/window = host_span; windows = [[10,500]]; marks = [[10,20]]"},
    {"nothing repeats", "load 0 10; op aten::mm 20 60", "steps/window = host_span"},
    {"without host rows it is the device's span", "kernel gemm 30 60; kernel gemm 80 90",
     "steps/window = device_span; windows = [[30,90]]"},
    {"steps on a thread of their own leave the busiest to explain their time",
     "note ProfilerStep#1 0 100 pid=99 tid=99; op aten::mm 10 20; op aten::add 30 40",
     "other_thread = true; step_tid = 4711"},
    {"beyond the recorded span they are cut and left out",
     "step 1 0 100000000; step 2 100000000 900000000; op aten::mm 10 20; "
     "span 'PyTorch Profiler (0)' -1000000 150000000",
     "clipped = 1; windows = [[0,100000000],[100000000,150000000]]; "
     "steps/steps/1/truncated = true; steps/counted = [0]"},
    {"work may run after the end of its step",
     "step 1 0 100; step 2 100 200; kernel gemm 90 130 < 80 85; kernel relu 130 140 < 86 90",
     "steps/steps/0/device_rows = 2; steps/steps/0/spill_ns = 40; steps/steps/1/device_rows = 0"},
};

TEST(Steps, Examples_Match) { expect_all(kSteps); }

// A backward pass on its own thread has three times the rows of the rest.
void add_backward(TraceMaker& maker, std::int64_t at) {
  for (std::int64_t i = 0; i < 12; ++i) {
    draw(maker, "op 'autograd::engine::evaluate_function: AddmmBackward0' 0 1 tid=99", 1, at + i);
  }
}

TEST(Steps, NoMarks_UseFetchesAsBorders) {
  TraceMaker maker;
  for (const std::int64_t at : {0, 100, 200}) {
    draw(maker, "load 0 10; op aten::mm 20 60", 1, at);
    add_backward(maker, at + 60);
  }
  const traces::Trace trace = maker.finish();
  for (const bool from_loading : {false, true}) {
    expect_numbers(numbers_of(trace, {.steps = {.from_loading = from_loading}}),
                   "steps/window = loading; windows = [[0,100],[100,200],[200,260]]; "
                   "step_tid = 4711; steps/reason ~ begins with a data fetch");
  }
}

TEST(Steps, SeveralBatches_FollowTheOptimizer) {
  TraceMaker maker;
  for (std::int64_t batch = 0; batch < 8; ++batch) {
    draw(maker, "load 0 10; op aten::mm 20 60", 1, 100 * batch);
    if (batch % 2 == 1) draw(maker, "note Optimizer.step#SGD.step 70 90", 1, 100 * batch);
  }
  const traces::Trace trace = maker.finish();
  expect_numbers(numbers_of(trace), "windows = [[0,200],[200,400],[400,600],[600,790]]");
  expect_numbers(numbers_of(trace, {.steps = {.from_loading = true}}), "windows/# = 8");
}

TEST(Steps, NoFetches_UseRepeatedAnnotations) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 4; ++i) {
    const std::string number = std::to_string(i);
    draw(maker,
         "note 'forward " + number + "' 0 30; op aten::mm 5 30; note 'backward " + number +
             "' 30 90; op aten::mm 35 80",
         1, 100 * i);
    add_backward(maker, 100 * i + 40);
  }
  expect_numbers(numbers_of(maker.finish()),
                 "steps/window = marks; windows = [[0,100],[100,200],[200,300],[300,390]]; "
                 "steps/reason ~ 'forward #'");
}

struct Served {
  const char* name;
  std::vector<std::string> rows;  // each takes 100 ns
  const char* numbers;
};

// Each of two alternating annotations is a step: as serving engines name theirs, including numbers.
TEST(Steps, AlternatingNames_AreAllSteps) {
  const std::string decode = "step[DECODE bs=16 g_sk=90";
  const Served kServed[] = {
      {"one prefill in five",
       {decode + "16]", decode + "32]", "step[EXTEND bs=1 toks=626]", decode + "48]",
        decode + "64]", decode + "80]", "step[EXTEND bs=2 toks=31]", decode + "96]"},
       "windows/# = 8; windows/3 = [300,400]; "
       "steps/reason ~ 'step[DECODE bs=# g_sk=#]' or 'step[EXTEND bs=# toks=#]'"},
      {"two names with a number",
       {"prefill_step_0", "decode_step_0", "decode_step_1", "prefill_step_1", "decode_step_2"},
       "windows/# = 5; windows/1 = [100,200]"},
      {"training, then validation, fewer rows than make a repetition",
       {"train_batch", "train_batch", "train_batch", "validate_batch", "validate_batch"},
       "windows/# = 5"},
      {"parts of a step, which come with each",
       {"forward_step", "optimizer_step", "forward_step", "optimizer_step", "forward_step",
        "optimizer_step"},
       "windows/# = 3; windows/1 = [200,400]"},
      {"rows of another kind, which are told",
       {"work", "work", "work", "checkpoint", "work", "checkpoint", "checkpoint", "work"},
       "windows/# = 5; windows/2 = [200,400]; "
       "steps/reason ~ begins with a row 'work'; steps/reason ~ between them lie 3 rows "
       "'checkpoint'"},
  };
  for (const Served& each : kServed) {
    SCOPED_TRACE(each.name);
    TraceMaker maker;
    for (std::size_t i = 0; i < each.rows.size(); ++i) {
      // With kinds of equal length the first one would not be longer.
      const std::string end = each.rows[i] == "checkpoint" ? "60" : "90";
      draw(maker, "note '" + each.rows[i] + "' 0 " + end + "; op aten::mm 5 50", 1,
           std::int64_t(100 * i));
    }
    expect_numbers(numbers_of(maker.finish()), each.numbers);
  }
}

TEST(Steps, NestedNames_UseTheOuterOne) {
  TraceMaker maker;
  draw(maker, "note 'all training steps' 0 500");
  for (std::int64_t i = 0; i < 4; ++i) {
    draw(maker, "note train_step 5 95; note inner_step 10 40; op aten::mm 12 30", 1, 100 * i);
  }
  expect_numbers(numbers_of(maker.finish()), "windows/# = 4; steps/reason ~ 'train_step'");
}

// A counting number is not part of the name; one that occurs in each step is.
TEST(Places, NamesWithACounter_ShareARow) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 6; ++i) {
    draw(maker,
         "note 'iteration " + std::to_string(i) +
             "' 0 90; note 'layer 1' 10 30; note 'layer 2' 30 70; kernel k 95 96 < 91 92",
         1, 100 * i);
  }
  const Json all = numbers_of(maker.finish());
  std::map<std::string, std::int64_t> idle_ns;
  for (const Json& place : all["idle"][0]["places"]) {
    if (place["name"].is_string()) idle_ns[place["name"]] += place["idle_ns"].get<std::int64_t>();
    EXPECT_TRUE(place["annotation"].is_null() || place["annotation"] == "iteration #");
  }
  EXPECT_EQ(idle_ns["iteration #"], 4 * 30);
  EXPECT_EQ(idle_ns["layer 1"], 4 * 20);
  EXPECT_EQ(idle_ns["layer 2"], 4 * 40);
}

TEST(Steps, StepThread_IsNotAutograds) {
  TraceMaker maker;
  maker.op("aten::mm", 0, 10);
  add_backward(maker, 20);
  expect_numbers(numbers_of(maker.finish()), "step_tid = 4711");
}

TEST(Steps, EmptyTrace_HasNone) {
  const traces::Trace none;
  const Steps steps = find_steps(Timeline(none));
  EXPECT_TRUE(steps.steps.empty());
  EXPECT_TRUE(steps.counted().empty());
  EXPECT_FALSE(steps.reason.empty());
}

TEST(Steps, FewLaunches_AreTruncated) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 4; ++i) {
    maker.step(i, 100 * i, 100 * i + 100);
    for (std::int64_t row = 0; row < (i == 3 ? 3 : 4); ++row) {
      draw(maker, "kernel gemm 10 25 < 0 5", 1, 100 * i + 20 * row);
    }
  }
  expect_numbers(numbers_of(maker.finish()),
                 "steps/steps/# = 4; steps/steps/0/device_rows = 4; steps/steps/3/device_rows = 3; "
                 "steps/steps/3/truncated = true; steps/steps/2/truncated = false; "
                 "steps/counted = [1, 2]");
}

TEST(Steps, ChosenSteps_CountEdgesToo) {
  const traces::Trace trace =
      drawn("step 0 0 100; step 1 100 200; step 2 200 300; step 3 300 400; op aten::mm 10 20");
  expect_numbers(numbers_of(trace, {.steps = {.numbers = {{0, 1}}}}), "steps/counted = [0, 1]");
  expect_numbers(numbers_of(trace, {.steps = {.numbers = {{7, 9}}}}), "steps/counted = []");
}

}  // namespace
}  // namespace stepbench::traces
