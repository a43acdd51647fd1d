// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/findings/finding.h"
#include "harness/gbench/benchmark_names.h"
#include "harness/gbench/workload_benchmark.h"
#include "harness/measure/step_recorder.h"
#include "harness/plan/plan.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

const WorkloadType& type_of(std::span<const WorkloadType> types, const std::string& name) {
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const WorkloadType& type) { return type.name == name; });
  if (found != types.end()) return *found;
  throw ConfigError(
      "workload",
      formatted("this program has no '{}'; it has: {}", name,
                text::join(types, ", ", [](const WorkloadType& type) { return type.name; })));
}

}  // namespace

void register_workloads(const std::filesystem::path& file, const Catalogue& catalogue,
                        std::span<const WorkloadType> types, std::span<const WorkloadRule> rules) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const auto plan = std::make_shared<const plan::Plan>(
      plan::make_plan({.file = file, .cores = cores}, catalogue, rules));
  const std::vector<std::string> names = gbench::benchmark_names(*plan);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const WorkloadType& type = type_of(types, plan->cases[i].resolved.workload);
    benchmark::RegisterBenchmark(names[i].c_str(), [plan, i, &type,
                                                    &catalogue](benchmark::State& state) {
      const plan::PlannedCase& planned = plan->cases[i];
      if (planned.skip) {
        state.SkipWithError(("skipped: " + text::printable(*planned.skip)).c_str());
      } else {
        measure_workload(state, type, planned.resolved, catalogue);
      }
    })->UseRealTime();
  }
}

namespace {

struct StepSums {
  std::array<std::int64_t, kMaxPhases> phase_ns{};
  std::array<std::int64_t, kCounts> counts{};
  std::int64_t steps = 0;

  void add(const StepRecorder::Step& step) {
    for (std::size_t i = 0; i < phase_ns.size(); ++i) phase_ns[i] += step.phase_ns[i];
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += step.counts[i];
    ++steps;
  }
};

// Metrics become counters; a benchmark's row has no place for the rest.
class CounterSink final : public ReportSink {
 public:
  explicit CounterSink(benchmark::State& state) : state_(state) {}
  void metric(std::string_view name, double value) override {
    state_.counters[std::string(name)] = value;
  }
  void effective(std::string_view, Value) override {}
  void note(std::string) override {}
  void finding(Finding) override {}

 private:
  benchmark::State& state_;
};

void add_counters(const StepSums& sums, const std::vector<std::string>& phases,
                  benchmark::State& state) {
  if (sums.steps == 0) return;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (sums.phase_ns[i] == 0) continue;
    state.counters[phases[i] + "_ns"] =
        static_cast<double>(sums.phase_ns[i]) / static_cast<double>(sums.steps);
  }
  constexpr std::array<const char*, kCounts> kRates = {"items_per_second", "tokens_per_second",
                                                       "bytes_per_second"};
  for (std::size_t i = 0; i < kCounts; ++i) {
    if (sums.counts[i] == 0) continue;
    state.counters[kRates[i]] =
        benchmark::Counter(static_cast<double>(sums.counts[i]), benchmark::Counter::kIsRate);
  }
}

void run_step(Workload& workload, StepRecorder& recorder, std::int64_t index) {
  recorder.start_step(index);
  workload.step(recorder);
}

void run_steps(benchmark::State& state, Workload& workload, const ResolvedCase& resolved,
               const WorkerContext& context, const std::vector<std::string>& phases) {
  StepRecorder recorder(context.clock);
  const std::int64_t warmup = resolved.integer_or("schedule.warmup", 0);
  workload.before_cycle();
  std::int64_t index = 0;
  for (; index < warmup; ++index) {
    run_step(workload, recorder, index);
    (void)recorder.finish_step();
  }
  workload.synchronize();
  workload.window(Edge::kBegin);
  StepSums sums;
  for (auto _ : state) {
    run_step(workload, recorder, index++);
    sums.add(recorder.finish_step());
    if (static_cast<benchmark::IterationCount>(sums.steps) == state.max_iterations) {
      workload.steps_done();
      workload.synchronize();
    }
  }
  workload.window(Edge::kEnd);
  CounterSink sink(state);
  workload.report(sink);
  add_counters(sums, phases, state);
}

}  // namespace

void measure_workload(benchmark::State& state, const WorkloadType& type,
                      const ResolvedCase& resolved, const Catalogue& catalogue) {
  const HostClock clock;
  WorkerContext context{.clock = clock,
                        .run_dir = {},
                        .shared_memory_prefix = formatted("/stepbench-{}-", ::getpid())};
  context.phase_names = phase_names(catalogue, resolved.workload);
  state.SetLabel("one process");
  std::unique_ptr<Workload> workload;
  try {
    workload = type.make(resolved, context);
    if (const auto reason = workload->set_up()) {
      state.SkipWithError(("skipped: " + text::printable(*reason)).c_str());
    } else {
      run_steps(state, *workload, resolved, context, context.phase_names);
    }
  } catch (const std::exception& error) {
    state.SkipWithError(text::printable(error.what()).c_str());
  }
  if (workload == nullptr) return;
  try {
    workload->tear_down();
  } catch (const std::exception& error) {
    state.SkipWithError(text::printable(error.what()).c_str());
  }
}

}  // namespace stepbench
