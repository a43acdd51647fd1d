// SPDX-License-Identifier: Apache-2.0
// Median step of the worker's loop against a bare loop of the same code, for a step of about 5 ms
// with 8 phases: interleaved blocks (bare, loop, loop, bare), the ratio of the two medians of each
// block, and its 95 % Hodges-Lehmann interval. Passed: the interval is narrower than 0.01 and
// includes or lies below 1.01. Wider: too noisy.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "harness/stats/comparisons.h"
#include "harness/stats/order_statistics.h"
#include "harness/worker/internal/loop.h"
#include "tests/benchmarks/recorded_step.h"
#include "tests/benchmarks/spin.h"

namespace {

using namespace stepbench;

constexpr std::size_t kBlocks = 100;
constexpr std::int64_t kSteps = 11;
constexpr std::int64_t kStepNs = 5'000'000;
constexpr double kMostRatio = 1.01;
constexpr double kWidest = 0.01;

std::int64_t rounds_of_a_phase() {
  constexpr std::int64_t kProbe = 1'000'000;
  const HostClock clock;
  std::int64_t fastest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 20; ++i) {
    const std::int64_t began_ns = clock.now_ns();
    spin(kProbe);
    fastest = std::min(fastest, clock.now_ns() - began_ns);
  }
  return kProbe * kStepNs / fastest / static_cast<std::int64_t>(kRecordedPhases);
}

double median_of(const std::vector<std::int64_t>& step_ns) {
  return stats::median(std::vector<double>(step_ns.begin(), step_ns.end()));
}

double bare_median(std::int64_t rounds) {
  std::vector<std::int64_t> starts;
  starts.reserve(kSteps + 1);
  const HostClock clock;
  for (std::int64_t step = 0; step < kSteps; ++step) {
    starts.push_back(clock.now_ns());
    for (std::size_t phase = 0; phase < kRecordedPhases; ++phase) spin(rounds);
  }
  starts.push_back(clock.now_ns());
  std::vector<std::int64_t> periods;
  for (std::size_t i = 1; i < starts.size(); ++i) periods.push_back(starts[i] - starts[i - 1]);
  return median_of(periods);
}

class Spinning final : public Workload {
 public:
  explicit Spinning(std::int64_t rounds) : rounds_(rounds) {}
  std::optional<std::string> set_up() override { return std::nullopt; }
  void step(StepRecorder& step) override {
    for (std::size_t id = 0; id < kRecordedPhases; ++id) {
      const auto phase = step.phase(static_cast<PhaseId>(id));
      spin(rounds_);
    }
    step.add(Count::kSamples, 64);
  }
  void tear_down() override {}
  Fingerprint fingerprint() override { return {0, 0}; }

 private:
  std::int64_t rounds_;
};

double loop_median(std::int64_t rounds) {
  std::vector<std::string> names;
  for (const Phase& phase : built_in_phases()) names.push_back(phase.name);
  worker::LoopOptions options;
  options.schedule = {.wait = 0, .warmup = 0, .active = kSteps, .repeat = 1};
  options.deadline_ns = std::numeric_limits<std::int64_t>::max();
  const HostClock clock;
  Spinning workload(rounds);
  worker::InstrumentSet nothing;
  worker::Loop loop(options, clock, workload, nothing, names);
  loop.exercise();
  double out = 0;
  (void)loop.run([](const worker::LoopStage&) {},
                 [&](const Series& cycle) { out = median_of(cycle.column("step_ns")); });
  return out;
}

void step_overhead(benchmark::State& state) {
  for (auto _ : state) {
    const std::int64_t rounds = rounds_of_a_phase();
    std::vector<double> log_ratios;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      const bool bare_first = block % 2 == 0;
      const double first = bare_first ? bare_median(rounds) : loop_median(rounds);
      const double second = bare_first ? loop_median(rounds) : bare_median(rounds);
      log_ratios.push_back(std::log(bare_first ? second / first : first / second));
    }
    const stats::HodgesLehmann found = stats::hodges_lehmann(log_ratios, 0.95);
    const double low = std::exp(found.interval.low);
    const double high = std::exp(found.interval.high);
    state.counters["ratio"] = std::exp(found.centre);
    state.counters["low"] = low;
    state.counters["high"] = high;
    state.counters["blocks"] = kBlocks;
    state.SetLabel(high - low >= kWidest ? "too noisy" : low <= kMostRatio ? "passed" : "failed");
  }
}
BENCHMARK(step_overhead)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace

BENCHMARK_MAIN();
