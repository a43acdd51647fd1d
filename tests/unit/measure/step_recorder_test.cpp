// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/step_recorder.h"

#include "tests/scripted_clock.h"
#include "tests/testing.h"
#include "tests/unit/measure/recording_instrument.h"

namespace stepbench::measure {
namespace {

std::int64_t phase_ns(const StepRecorder::Step& step, PhaseId id) {
  return step.phase_ns[static_cast<std::size_t>(id)];
}

class StepRecorderTest : public testing::Test {
 protected:
  void phase(PhaseId id, std::int64_t ns) {
    const auto scope = recorder.phase(id);
    clock.pass(ns);
  }
  ScriptedClock clock;
  StepRecorder recorder{clock};
};

TEST_F(StepRecorderTest, Phase_SumsItsScopes) {
  recorder.start_step(4);
  clock.pass(5);
  phase(PhaseId::kForward, 7);
  clock.pass(11);
  for (const std::int64_t ns : {3, 4}) phase(PhaseId::kBackward, ns);
  phase(PhaseId::kH2d, 0);
  try {
    const auto loss = recorder.phase(PhaseId::kLoss);
    clock.pass(9);
    throw 1;
  } catch (int) {
  }
  const StepRecorder::Step& step = recorder.finish_step();
  EXPECT_EQ(step.index, 4);
  EXPECT_EQ(phase_ns(step, PhaseId::kForward), 7);
  EXPECT_EQ(phase_ns(step, PhaseId::kBackward), 7);
  EXPECT_EQ(phase_ns(step, PhaseId::kLoss), 9) << "an exception ends it";
  EXPECT_EQ(step.ties, 1) << "a phase without time";
  EXPECT_FALSE(step.nested);
}

TEST_F(StepRecorderTest, EachStep_StartsEmpty) {
  recorder.start_step(0);
  phase(PhaseId::kLoss, 3);
  recorder.add(Count::kTokens, 8);
  recorder.partial_batch();
  (void)recorder.finish_step();
  recorder.start_step(1);
  const StepRecorder::Step& step = recorder.finish_step();
  EXPECT_EQ(phase_ns(step, PhaseId::kLoss), 0);
  EXPECT_EQ(step.occurred, 0U);
  EXPECT_EQ(step.flags, 0);
  EXPECT_THAT(step.counts, Each(0));
}

TEST_F(StepRecorderTest, FirstWaitOfAnEpoch_IsSeparate) {
  recorder.start_step(0);
  phase(PhaseId::kDataWait, 10);
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

// Two instruments; the n-th of their actions throws.
std::vector<std::string> heard(int throw_at, const std::function<void(StepRecorder&)>& act) {
  ScriptedClock clock;
  InstrumentLog log;
  log.throw_at = throw_at;
  RecordingInstrument a("A", log);
  RecordingInstrument b("B", log);
  Instrument* const both[] = {&a, &b};
  StepRecorder recorder(clock);
  recorder.listeners(both);
  act(recorder);
  return log.lines;
}

TEST(StepRecorder, Ends_ComeInReverseOrder) {
  EXPECT_THAT(heard(-1,
                    [](StepRecorder& recorder) {
                      recorder.start_step(2);
                      { const auto h2d = recorder.phase(PhaseId::kH2d); }
                      (void)recorder.finish_step();
                    }),
              ElementsAre("A step 2", "B step 2", "A phase 1", "B phase 1", "B phase end 1",
                          "A phase end 1", "B step end", "A step end"));
}

TEST(StepRecorder, ThrowingInstrument_LetsOthersEnd) {
  EXPECT_THAT(heard(1,
                    [](StepRecorder& recorder) {
                      EXPECT_THROW(recorder.start_step(0), std::runtime_error);
                    }),
              ElementsAre("A step 0", "B step 0 throws", "A step end"));
  EXPECT_THAT(heard(3,
                    [](StepRecorder& recorder) {
                      recorder.start_step(0);
                      EXPECT_THROW((void)recorder.phase(PhaseId::kForward), std::runtime_error);
                      (void)recorder.finish_step();
                    }),
              ElementsAre("A step 0", "B step 0", "A phase 3", "B phase 3 throws", "A phase end 3",
                          "B step end", "A step end"));
}

}  // namespace
}  // namespace stepbench::measure
