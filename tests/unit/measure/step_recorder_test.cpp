// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/step_recorder.h"

#include <gmock/gmock.h>

#include "tests/scripted_clock.h"
#include "tests/unit/measure/recording_instrument.h"

namespace stepbench::measure {
namespace {

using testing::ElementsAre;

std::int64_t phase_ns(const StepRecorder::Step& step, PhaseId id) {
  return step.phase_ns[static_cast<std::size_t>(id)];
}

TEST(StepRecorder, APhaseLastsAsLongAsItsScope) {
  ScriptedClock clock;
  StepRecorder recorder(clock);
  recorder.start_step(4);
  clock.pass(5);
  {
    const auto forward = recorder.phase(PhaseId::kForward);
    clock.pass(7);
  }
  clock.pass(11);
  const StepRecorder::Step& step = recorder.finish_step();
  EXPECT_EQ(step.index, 4);
  EXPECT_EQ(phase_ns(step, PhaseId::kForward), 7);
  EXPECT_FALSE(step.nested);
}

TEST(StepRecorder, RepeatedPhasesAddUp) {
  ScriptedClock clock;
  StepRecorder recorder(clock);
  recorder.start_step(0);
  for (const std::int64_t ns : {3, 4}) {
    const auto backward = recorder.phase(PhaseId::kBackward);
    clock.pass(ns);
  }
  EXPECT_EQ(phase_ns(recorder.finish_step(), PhaseId::kBackward), 7);
}

TEST(StepRecorder, EachStepStartsEmpty) {
  ScriptedClock clock;
  StepRecorder recorder(clock);
  recorder.start_step(0);
  {
    const auto loss = recorder.phase(PhaseId::kLoss);
    clock.pass(3);
  }
  recorder.add(Count::kTokens, 8);
  recorder.partial_batch();
  (void)recorder.finish_step();
  recorder.start_step(1);
  const StepRecorder::Step& step = recorder.finish_step();
  EXPECT_EQ(phase_ns(step, PhaseId::kLoss), 0);
  EXPECT_EQ(step.occurred, 0U);
  EXPECT_EQ(step.flags, 0);
  EXPECT_THAT(step.counts, testing::Each(0));
}

TEST(StepRecorder, AnExceptionEndsThePhase) {
  ScriptedClock clock;
  StepRecorder recorder(clock);
  recorder.start_step(0);
  try {
    const auto forward = recorder.phase(PhaseId::kForward);
    clock.pass(9);
    throw 1;
  } catch (int) {
  }
  EXPECT_EQ(phase_ns(recorder.finish_step(), PhaseId::kForward), 9);
}

TEST(StepRecorder, TheWaitThatBeginsAnEpochIsKeptApart) {
  ScriptedClock clock;
  StepRecorder recorder(clock);
  recorder.start_step(0);
  {
    const auto wait = recorder.phase(PhaseId::kDataWait);
    clock.pass(10);
  }
  {
    const auto wait = recorder.phase(PhaseId::kDataWait);
    recorder.first_of_epoch();
    clock.pass(30);
  }
  const StepRecorder::Step& step = recorder.finish_step();
  EXPECT_EQ(phase_ns(step, PhaseId::kDataWait), 40);
  EXPECT_EQ(step.epoch_wait_ns, 30);
  EXPECT_EQ(step.flags, kEpochBorder);
}

TEST(StepRecorder, ANestedPhaseIsFlagged) {
  ScriptedClock clock;
  StepRecorder recorder(clock);
  recorder.start_step(0);
  {
    const auto outer = recorder.phase(PhaseId::kForward);
    const auto inner = recorder.phase(PhaseId::kLoss);
  }
  EXPECT_TRUE(recorder.finish_step().nested);
}

TEST(StepRecorder, PhasesWithoutTimeAreCountedAsTies) {
  ScriptedClock clock;
  StepRecorder recorder(clock);
  recorder.start_step(0);
  { const auto forward = recorder.phase(PhaseId::kForward); }
  EXPECT_EQ(recorder.finish_step().ties, 1);
}

TEST(StepRecorder, InstrumentsHearPhasesInListOrderAndEndsInReverse) {
  ScriptedClock clock;
  InstrumentLog log;
  RecordingInstrument a("A", log);
  RecordingInstrument b("B", log);
  Instrument* const both[] = {&a, &b};
  StepRecorder recorder(clock);
  recorder.listeners(both);
  recorder.start_step(2);
  { const auto h2d = recorder.phase(PhaseId::kH2d); }
  (void)recorder.finish_step();
  EXPECT_THAT(log.lines, ElementsAre("A step 2", "B step 2", "A phase 1", "B phase 1",
                                     "B phase end 1", "A phase end 1", "B step end", "A step end"));
}

TEST(StepRecorder, ThoseThatHeardAStepBeginHearItsEndWhenAnotherThrows) {
  ScriptedClock clock;
  InstrumentLog log;
  log.throw_at = 1;
  RecordingInstrument a("A", log);
  RecordingInstrument b("B", log);
  Instrument* const both[] = {&a, &b};
  StepRecorder recorder(clock);
  recorder.listeners(both);
  EXPECT_THROW(recorder.start_step(0), std::runtime_error);
  EXPECT_THAT(log.lines, ElementsAre("A step 0", "B step 0 throws", "A step end"));
}

TEST(StepRecorder, ThoseThatHeardAPhaseBeginHearItsEndWhenAnotherThrows) {
  ScriptedClock clock;
  InstrumentLog log;
  log.throw_at = 3;
  RecordingInstrument a("A", log);
  RecordingInstrument b("B", log);
  Instrument* const both[] = {&a, &b};
  StepRecorder recorder(clock);
  recorder.listeners(both);
  recorder.start_step(0);
  EXPECT_THROW((void)recorder.phase(PhaseId::kForward), std::runtime_error);
  (void)recorder.finish_step();
  EXPECT_THAT(log.lines, ElementsAre("A step 0", "B step 0", "A phase 3", "B phase 3 throws",
                                     "A phase end 3", "B step end", "A step end"));
}

}  // namespace
}  // namespace stepbench::measure
