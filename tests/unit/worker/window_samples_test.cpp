// SPDX-License-Identifier: Apache-2.0
#include "harness/worker/internal/window_samples.h"

#include <random>

#include "harness/base/error.h"
#include "harness/catalogue/catalogue.h"
#include "tests/scripted_clock.h"
#include "tests/testing.h"

namespace stepbench::worker {
namespace {

std::vector<std::string> two_phases() {
  std::vector<std::string> names;
  for (const Phase& phase : built_in_phases()) names.push_back(phase.name);
  names.emplace_back("own");
  return names;
}

// A recorder and a window filled by scripted steps.
class Window {
 public:
  explicit Window(std::size_t steps) { samples.prepare(steps); }
  void phase(PhaseId id, std::int64_t ns) {
    const auto scope = recorder.phase(id);
    clock.pass(ns);
  }
  void finish() { samples.append(recorder.finish_step()); }
  [[nodiscard]] Series columns() const { return samples.columns(clock.now_ns()); }

  ScriptedClock clock;
  StepRecorder recorder{clock};
  WindowSamples samples{two_phases()};
};

TEST(WindowSamples, Step_LastsUntilTheNext) {
  Window window(2);
  window.recorder.start_step(10);
  window.phase(PhaseId::kForward, 5);
  window.finish();
  window.clock.pass(2);  // between two steps: part of the first
  window.recorder.start_step(11);
  window.phase(PhaseId::kForward, 6);
  window.finish();
  window.clock.pass(3);
  const Series columns = window.columns();
  EXPECT_THAT(columns.names, ElementsAre("index", "step_ns", "forward_ns", "other_ns", "flags"));
  EXPECT_THAT(columns.column("index"), ElementsAre(10, 11));
  EXPECT_THAT(columns.column("step_ns"), ElementsAre(7, 9));
  EXPECT_THAT(columns.column("forward_ns"), ElementsAre(5, 6));
  EXPECT_THAT(columns.column("other_ns"), ElementsAre(2, 3));
}

TEST(WindowSamples, Request_WaitsForItsTokensOnly) {
  Window window(2);
  for (const std::int64_t later : {4, 1}) {
    window.recorder.start_step(0);
    window.phase(PhaseId::kDataWait, 100);
    window.phase(PhaseId::kForward, 30);
    window.recorder.first_token(later);
    window.phase(PhaseId::kForward, 42);
    window.recorder.answered();
    window.clock.pass(7);  // the harness's own time is not a wait
    window.finish();
  }
  const Series columns = window.columns();
  EXPECT_THAT(columns.column("request_latency_ns"), ElementsAre(72, 72));
  EXPECT_THAT(columns.column("time_to_first_token_ns"), ElementsAre(30, 30));
  EXPECT_THAT(columns.column("time_per_output_token_ns"), ElementsAre(11, 42)) << "10.5, rounded";
  EXPECT_THAT(columns.column("step_ns"), ElementsAre(179, 179));
}

TEST(WindowSamples, NoAnswerOrLaterToken_HasNoColumn) {
  for (const bool tokens : {true, false}) {
    Window window(1);
    window.recorder.start_step(0);
    window.phase(PhaseId::kForward, 30);
    if (tokens) window.recorder.first_token(0);
    window.recorder.answered();  // also sent with schedule.sync: step
    window.finish();
    EXPECT_EQ(window.columns().find("time_per_output_token_ns"), nullptr);
    EXPECT_EQ(window.columns().find("request_latency_ns") != nullptr, tokens);
  }
}

TEST(WindowSamples, PhasesAndRest_SumToTheStep) {
  constexpr std::int64_t kSteps = 200;
  Window window(kSteps);
  std::mt19937_64 random(3);
  const std::int64_t began_ns = window.clock.now_ns();
  for (std::int64_t index = 0; index < kSteps; ++index) {
    window.recorder.start_step(index);
    for (int i = 0; i < 12; ++i) {
      const auto id = static_cast<PhaseId>(random() % static_cast<std::size_t>(PhaseId::kOther));
      window.phase(id, static_cast<std::int64_t>(random() % 1'000'000'007));
      window.clock.pass(static_cast<std::int64_t>(random() % 1000));
    }
    window.finish();
  }
  const Series columns = window.columns();
  std::int64_t total = 0;
  for (std::size_t row = 0; row < kSteps; ++row) {
    std::int64_t parts = 0;
    for (std::size_t i = 0; i < columns.names.size(); ++i) {
      const std::string& name = columns.names[i];
      if (name.ends_with("_ns") && name != "step_ns") parts += columns.columns[i][row];
    }
    ASSERT_EQ(parts, columns.column("step_ns")[row]) << "row " << row;
    total += parts;
  }
  EXPECT_EQ(total, window.clock.now_ns() - began_ns);
}

TEST(WindowSamples, OccurredColumns_AreInDeclaredOrder) {
  Window window(1);
  window.recorder.start_step(0);
  window.phase(declared_phase(0), 1);
  window.recorder.first_of_epoch();
  window.phase(PhaseId::kDataWait, 2);
  window.recorder.add(Count::kBytes, 10);
  window.recorder.add(Count::kSamples, 4);
  window.finish();
  EXPECT_THAT(window.columns().names,
              ElementsAre("index", "step_ns", "data_wait_ns", "own_ns", "other_ns", "samples",
                          "bytes", "epoch_wait_ns", "flags"));
}

TEST(WindowSamples, PhaseOfZeroTime_HasItsColumn) {
  Window window(1);
  window.recorder.start_step(0);
  window.phase(PhaseId::kLoss, 0);
  window.phase(PhaseId::kOther, 5);
  window.finish();
  EXPECT_THAT(window.columns().names,
              ElementsAre("index", "step_ns", "loss_ns", "other_ns", "flags"));
  EXPECT_THAT(window.columns().column("loss_ns"), ElementsAre(0));
  EXPECT_THAT(window.columns().column("other_ns"), ElementsAre(5));
}

TEST(WindowSamples, NestedPhases_AreAnErrorWithTheStep) {
  Window window(1);
  window.recorder.start_step(17);
  {
    const auto outer = window.recorder.phase(PhaseId::kForward);
    window.phase(PhaseId::kLoss, 5);
  }
  window.finish();
  EXPECT_THAT([&] { (void)window.columns(); }, ThrowsMessage<Error>(HasSubstr("step 17")));
}

TEST(WindowSamples, SimultaneousSteps_TieUntilCleared) {
  Window window(3);
  for (int index = 0; index < 3; ++index) {
    window.recorder.start_step(index);
    window.finish();
  }
  EXPECT_EQ(window.samples.clock_ties(), 2);
  window.samples.clear();
  EXPECT_EQ(window.samples.size(), 0U);
  EXPECT_THAT(window.columns().column("step_ns"), IsEmpty());
}

}  // namespace
}  // namespace stepbench::worker
