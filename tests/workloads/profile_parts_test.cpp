// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/device_activity.h"
#include "tests/testing.h"
#include "workloads/profile/internal/kineto_op_log.h"
#include "workloads/profile/internal/op_modules.h"
#include "workloads/profile/internal/profile_spans.h"
#include "workloads/profile/internal/thread_log.h"
#include "workloads/profile/internal/tick_clock.h"

namespace stepbench {
namespace {

TEST(KinetoLog, CopyName_HasDirectionAndMemory) {
  ops::OpLog log;
  log.names = {"copy"};
  for (const char* name : {"Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pinned -> Device)",
                           "Memcpy DtoD (Device -> Device)"}) {
    ops::DeviceActivity& copy = log.activities.emplace_back();
    copy = {.start_ns = 1, .end_ns = 2, .name = 0, .kind = ops::ActivityKind::kMemcpy};
    profile::describe_kineto_copy(name, copy);
  }
  EXPECT_EQ(log.activities[0].copy, ops::CopyKind::kHostToDevice);
  EXPECT_FALSE(log.activities[0].pinned);
  EXPECT_TRUE(log.activities[1].pinned);
  EXPECT_EQ(log.activities[2].copy, ops::CopyKind::kDeviceToDevice);
  const cuda::ActivitySummary sum = cuda::summarise_activities(log);
  EXPECT_EQ(sum.pageable_copies, 1);
  EXPECT_EQ(sum.copied_bytes, std::nullopt);
}

TEST(KinetoLog, MissingKernel_IsCounted) {
  ops::OpLog log;
  log.names = {"cudaLaunchKernel", "kernel"};
  for (const std::uint64_t correlation : {1U, 2U}) {
    ops::DeviceActivity& call = log.activities.emplace_back();
    call.start_ns = static_cast<std::int64_t>(correlation) * 10;
    call.end_ns = call.start_ns + 1;
    call.correlation = correlation;
    call.name = 0;
    call.kind = ops::ActivityKind::kRuntime;
  }
  ops::DeviceActivity& kernel = log.activities.emplace_back();
  kernel.correlation = 1;
  kernel.name = 1;
  EXPECT_EQ(profile::missing_work(log), "1 launches without a record of their work");
  log.activities.push_back(log.activities.back());
  log.activities.back().correlation = 2;
  EXPECT_EQ(profile::missing_work(log), std::nullopt);
}

TEST(ShapeWords, Text_IsTorchProfilers) {
  profile::ShapeWords words;
  words.begin();
  words.add(std::vector<std::int64_t>{8, 32});
  words.add({});
  words.add(std::vector<std::int64_t>{4});
  const std::int64_t* const first = words.finish();
  words.begin();
  EXPECT_EQ(profile::shapes_text(words.finish()), "[]");
  EXPECT_EQ(profile::shapes_text(first), "[[8, 32], [], [4]]");
  EXPECT_EQ(profile::arguments_text(first), "");
}

TEST(ShapeWords, Arguments_FollowShapes) {
  using Argument = profile::ShapeWords::Argument;
  profile::ShapeWords words;
  words.begin();
  words.add(std::vector<std::int64_t>{2, 3});
  words.begin_arguments();
  words.add_argument(Argument::kNone);
  words.add_argument(Argument::kList, std::vector<std::int64_t>{2, 2});
  words.add_argument(Argument::kTruth, std::vector<std::int64_t>{1});
  words.add_argument(Argument::kTruths, std::vector<std::int64_t>{1, 0});
  words.add_argument(Argument::kInteger, std::vector<std::int64_t>{7});
  const std::int64_t* const all = words.finish();
  EXPECT_EQ(profile::shapes_text(all), "[[2, 3]]");
  EXPECT_EQ(profile::arguments_text(all), R"(["", "[2, 2]", "True", "[True, False]", "7"])");
}

TEST(ShapeWords, Overflow_IsDropped) {
  profile::ShapeWords words;
  const std::vector<std::int64_t> many(400, 1);
  words.begin();
  words.add(many);
  words.add(many);
  words.add(std::vector<std::int64_t>{5});
  EXPECT_TRUE(profile::shapes_text(words.finish()).ends_with("1], [5]]"));
}

TEST(NameCache, Text_IdentifiesAName) {
  profile::NameCache cache;
  std::string text = "autograd::engine::evaluate_function: AddmmBackward0";
  EXPECT_EQ(cache.id(text.c_str()), 0U);
  EXPECT_EQ(cache.id("aten::mm"), 1U);
  EXPECT_EQ(cache.id(""), 2U);
  text.replace(text.size() - 14, 14, "AddBackward0");
  EXPECT_EQ(cache.id(text.c_str()), 3U);
  EXPECT_EQ(cache.id("aten::mm"), 1U);
  EXPECT_EQ(cache.id(""), 2U);
  EXPECT_THAT(cache.names(), SizeIs(4));
}

TEST(TickMap, Ends_AreExact) {
  profile::TickMap map(profile::has_invariant_tsc());
  map.begin();
  const std::uint64_t between = profile::ticks_of(profile::has_invariant_tsc());
  const auto after = static_cast<std::int64_t>(profile::monotonic_ns());
  map.end();
  EXPECT_LE(map.ns(between), after + 1000);
}

TEST(StepMarks, StepsAndPhases_AreRecorded) {
  profile::StepMarks marks;
  marks.step_begin(7, 10);
  marks.phase_begin(PhaseId::kForward, 12);
  marks.phase_end(15);
  marks.step_end(20);
  marks.step_begin(8, 30);  // throws
  ops::OpLog log;
  marks.add_to(
      log, [](std::uint64_t stamp) { return static_cast<std::int64_t>(stamp) * 2; },
      [](PhaseId) { return "forward"; });
  ASSERT_THAT(log.marks, SizeIs(2));
  EXPECT_EQ(log.marks[0].index, 7);
  EXPECT_EQ(log.marks[0].phase, ops::kNoIndex);
  EXPECT_EQ(log.marks[0].end_ns, 40);
  EXPECT_EQ(log.names[log.marks[1].phase], "forward");
  EXPECT_EQ(log.marks[1].start_ns, 24);
}

TEST(StepMarks, Borders_AreOfTheMeasuredSteps) {
  profile::StepMarks marks;
  std::uint64_t now = 1000;
  // Marked 7, 3 and 5 ns before their time was read.
  for (const auto& [index, early] : {std::pair(4, 7U), std::pair(5, 3U), std::pair(6, 5U)}) {
    marks.step_begin(index, now - early);
    marks.step_end(now + 90);
    now += 100;
  }
  marks.measured(4, {100, 100, 100});
  ops::OpLog log;
  marks.add_to(
      log, [](std::uint64_t stamp) { return static_cast<std::int64_t>(stamp); },
      [](PhaseId) { return "forward"; });
  ASSERT_THAT(log.marks, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(log.marks[i].start_ns, 997 + 100 * static_cast<std::int64_t>(i));
    EXPECT_EQ(log.marks[i].end_ns - log.marks[i].start_ns, 100);
  }
}

TEST(WorkerSpans, Batch_IsFetchDecodeAndCollate) {
  profile::WorkerSpans spans;
  spans.listen(true);
  ASSERT_EQ(loader::worker_span_listener, &spans);
  loader::worker_span_listener->batch(41, 0, {.began_ns = 0, .ended_ns = 40, .fetch_ns = 40});
  loader::worker_span_listener->batch(
      42, 1, {.began_ns = 100, .ended_ns = 190, .fetch_ns = 30, .decode_ns = 50});
  loader::worker_span_listener->batch(0, 1, {.began_ns = 100, .ended_ns = 110, .decode_ns = 10});
  loader::worker_span_listener->own_batch({.began_ns = 100, .ended_ns = 110, .fetch_ns = 10});
  spans.listen(false);
  EXPECT_EQ(loader::worker_span_listener, nullptr);
  ops::OpLog log;
  log.process = 40;
  spans.add_to(log, 1050, 1000);
  ASSERT_THAT(log.foreign, SizeIs(5));
  EXPECT_THAT(log.names, ElementsAre("fetch", "decode", "collate"));
  EXPECT_EQ(log.foreign[0].start_ns, 1100);
  EXPECT_EQ(log.foreign[2].end_ns, 1190);
  EXPECT_EQ(log.foreign[1].pid, 42);
  EXPECT_EQ(log.foreign[1].tid, 0);
  EXPECT_EQ(log.foreign[3].pid, 40);
  EXPECT_EQ(log.foreign[3].tid, ops::kFirstWorkerTrack + 1);
  EXPECT_EQ(log.foreign[4].tid, ops::kStepLoaderTrack);
}

TEST(BackwardModules, LastForwardOp_GivesTheModule) {
  ops::OpLog log;
  log.modules = {"first", "second"};
  log.ops = {
      {.start_ns = 0, .end_ns = 5, .sequence = 3, .module = 0},
      {.start_ns = 6, .end_ns = 9, .sequence = 3, .module = 1},
      {.start_ns = 10,
       .end_ns = 20,
       .sequence = 3,
       .forward_thread = 0,
       .scope = ops::OpScope::kBackwardFunction},
      {.start_ns = 11, .end_ns = 12},
      {.start_ns = 30, .end_ns = 31},
  };
  profile::spread_modules(log);
  EXPECT_EQ(log.ops[2].module, 1U);
  EXPECT_EQ(log.ops[3].module, 1U);
  EXPECT_EQ(log.ops[4].module, ops::kNoIndex);
}

}  // namespace
}  // namespace stepbench
