// SPDX-License-Identifier: Apache-2.0
// Known truth on a scripted clock: for any shape of the steps, the window's time is the sum of its
// steps' periods, to the nanosecond.
#include "harness/catalogue/catalogue.h"
#include "harness/worker/internal/loop.h"
#include "tests/scripted_clock.h"
#include "tests/testing.h"

namespace stepbench::worker {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// Step i takes cost(i) on the host; the device has `queued` left when the loop waits for it.
class Costly final : public Workload {
 public:
  Costly(ScriptedClock& clock, std::function<std::int64_t(std::int64_t)> cost,
         std::int64_t queued = 0)
      : clock_(clock), cost_(std::move(cost)), queued_(queued) {}

  std::optional<std::string> set_up() override { return std::nullopt; }
  void before_cycle() override { clock_.pass(7 * kMs); }  // reads files
  void step(StepRecorder& step) override { clock_.pass(cost_(step.index())); }
  void synchronize() override { clock_.pass(queued_); }
  void window(Edge) override { clock_.pass(kMs); }
  void tear_down() override {}
  Fingerprint fingerprint() override { return {}; }

 private:
  ScriptedClock& clock_;
  std::function<std::int64_t(std::int64_t)> cost_;
  std::int64_t queued_;
};

struct Measured {
  LoopResult result;
  std::vector<Series> cycles;

  [[nodiscard]] std::int64_t sum_of_periods() const {
    std::int64_t sum = 0;
    for (const Series& cycle : cycles) {
      const auto& step_ns = cycle.column("step_ns");
      sum = std::accumulate(step_ns.begin(), step_ns.end(), sum);
    }
    return sum;
  }
};

LoopOptions options_of(const schedule::Schedule& schedule) {
  LoopOptions options;
  options.schedule = schedule;
  options.stop.cycles = schedule.repeat;
  options.deadline_ns = std::numeric_limits<std::int64_t>::max();
  return options;
}

Measured measure(const LoopOptions& options, const std::function<std::int64_t(std::int64_t)>& cost,
                 std::int64_t queued = 0) {
  ScriptedClock clock;
  Costly workload(clock, cost, queued);
  InstrumentSet none;
  std::vector<std::string> phases;
  for (const Phase& phase : built_in_phases()) phases.push_back(phase.name);
  Loop loop(options, clock, workload, none, phases);
  loop.exercise();
  Measured out;
  out.result =
      loop.run([](const LoopStage&) {}, [&](const Series& cycle) { out.cycles.push_back(cycle); });
  return out;
}

// N workers deliver in turns: one step in N waits for the batch, the others do not.
auto turns(std::int64_t workers, std::int64_t batch_ns) {
  return [=](std::int64_t step) { return step % workers == 0 ? batch_ns : 3; };
}

TEST(LoopWindow, WholeTurns_GiveTheTimePerBatch) {
  for (const std::int64_t workers : {1, 2, 3, 4, 8}) {
    for (const std::int64_t warmup : {0, 1, 5, 17}) {
      const auto measured =
          measure(options_of({.wait = 1, .warmup = warmup, .active = 24 * workers, .repeat = 1}),
                  turns(workers, 12 * kMs));
      EXPECT_EQ(measured.sum_of_periods(), 24 * (12 * kMs + 3 * (workers - 1)));
    }
  }
}

TEST(LoopWindow, Repeat_SumsItsCycles) {
  const auto measured =
      measure(options_of({.wait = 2, .warmup = 3, .active = 8, .repeat = 5}), turns(4, 12 * kMs));
  EXPECT_EQ(measured.result.active_steps, 40);
  EXPECT_EQ(measured.sum_of_periods(), 10 * (12 * kMs + 9));
  EXPECT_EQ(measured.result.window_drained_ns, measured.sum_of_periods());
}

TEST(LoopWindow, NoWarmUp_CountsTheFirstSteps) {
  const auto measured = measure(options_of({.wait = 0, .warmup = 0, .active = 3, .repeat = 2}),
                                [](std::int64_t step) { return 10 + step; });
  EXPECT_EQ(measured.sum_of_periods(), 10 + 11 + 12 + 13 + 14 + 15);
}

TEST(LoopWindow, DeviceRest_IsInTheDrainedTime) {
  const auto measured = measure(
      options_of({.wait = 0, .warmup = 1, .active = 10, .repeat = 3}),
      [](std::int64_t) { return 100; }, 5000);
  EXPECT_EQ(measured.sum_of_periods(), 3 * 1000);
  EXPECT_EQ(measured.result.window_drained_ns, 3 * (1000 + 5000));
}

// An epoch of 10 batches for 4 workers: 4, 4 and 2 batches, each group in the time of one.
std::int64_t step_of_an_epoch(std::int64_t step) {
  const std::int64_t in_epoch = step % 10;
  return in_epoch % 4 == 0 ? 12 * kMs : 3;
}

TEST(LoopWindow, WholeEpochs_CostTheSame) {
  for (const std::int64_t warmup : {1, 2, 5, 8, 13}) {
    LoopOptions options = options_of({.wait = 0, .warmup = warmup, .active = 24, .repeat = 2});
    fit_to_epochs(10, options);
    EXPECT_EQ(options.epochs, 3);
    const auto measured = measure(options, step_of_an_epoch);
    EXPECT_EQ(measured.result.active_steps, 60);
    EXPECT_EQ(measured.sum_of_periods(), 6 * (3 * 12 * kMs + 7 * 3)) << warmup;
  }
}

TEST(LoopWindow, LongEpoch_KeepsBordersOutside) {
  const auto cost = [](std::int64_t step) { return step % 100 < 18 ? 900 : 10; };
  LoopOptions options = options_of({.wait = 0, .warmup = 18, .active = 50, .repeat = 20});
  options.epoch_steps.refill = 18;
  fit_to_epochs(100, options);
  EXPECT_EQ(options.epochs, 0);
  const auto measured = measure(options, cost);
  EXPECT_EQ(measured.result.cycles, 20);
  EXPECT_EQ(measured.sum_of_periods(), 20 * 50 * 10);
  for (const Series& cycle : measured.cycles) {
    const auto& index = cycle.column("index");
    EXPECT_EQ(index.front() / 100, index.back() / 100);
    EXPECT_GE(index.front() % 100, 18);
  }
}

TEST(LoopWindow, StepsPastABorder_AreExtra) {
  LoopOptions options = options_of({.wait = 0, .warmup = 2, .active = 5, .repeat = 2});
  fit_to_epochs(9, options);
  const auto measured = measure(options, [](std::int64_t) { return 1; });
  // Steps 2 to 6; a next window from 7 on would begin at the border.
  EXPECT_EQ(measured.cycles[0].column("index").front(), 2);
  EXPECT_EQ(measured.cycles[1].column("index").front(), 10);
  EXPECT_EQ(measured.result.all_steps, 15);
}

TEST(LoopWindow, Profile_StaysShort) {
  LoopOptions options = options_of({.wait = 0, .warmup = 2, .active = 5, .repeat = 1});
  fit_to_epochs(4, options, Pass::kNative);
  EXPECT_EQ(options.schedule.active, 5);
  EXPECT_EQ(options.epochs, 0);
  EXPECT_EQ(measure(options, [](std::int64_t) { return 1; }).result.all_steps, 7);
}

}  // namespace
}  // namespace stepbench::worker
