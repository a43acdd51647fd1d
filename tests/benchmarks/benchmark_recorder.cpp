// SPDX-License-Identifier: Apache-2.0
// Cost that the harness adds to a step without instruments: at most 150 ns for a phase mark (begin
// and end), at most 2 us for the bookkeeping of a step with 8 phases; and its instructions, which
// do not depend on the machine's load.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "tests/benchmarks/recorded_step.h"

namespace {

void host_clock(benchmark::State& state) {
  const stepbench::HostClock clock;
  for (auto _ : state) benchmark::DoNotOptimize(clock.now_ns());
}
BENCHMARK(host_clock);

void phase_mark(benchmark::State& state) {
  const stepbench::HostClock clock;
  stepbench::StepRecorder recorder(clock);
  recorder.start_step(0);
  for (auto _ : state) {
    const auto phase = recorder.phase(stepbench::PhaseId::kForward);
    benchmark::ClobberMemory();
  }
  (void)recorder.finish_step();
}
BENCHMARK(phase_mark);

void step_of_8_phases(benchmark::State& state) {
  stepbench::RecordedStep step(50);
  for (auto _ : state) {
    step.run();
    benchmark::ClobberMemory();
  }
}
BENCHMARK(step_of_8_phases);

// Instructions of a process that records `steps` steps; nullopt without valgrind.
std::optional<double> instructions(int steps) {
  const std::string command = "valgrind --tool=callgrind --callgrind-out-file=/dev/null " +
                              std::string(RECORDED_STEPS) + " " + std::to_string(steps) + " 2>&1";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             ::pclose);
  std::string text;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) {
    text.push_back(static_cast<char>(c));
  }
  constexpr std::string_view kMark = "Collected : ";
  const std::size_t at = text.find(kMark);
  if (at == std::string::npos) return std::nullopt;
  return std::stod(text.substr(at + kMark.size()));
}

void step_of_8_phases_instructions(benchmark::State& state) {
  constexpr int kFew = 1'000;
  constexpr int kMany = 11'000;
  for (auto _ : state) {
    const auto few = instructions(kFew);
    const auto many = instructions(kMany);
    if (!few || !many) {
      state.SkipWithError("valgrind is not installed or failed");
      break;
    }
    state.counters["instructions"] = (*many - *few) / (kMany - kFew);
  }
}
BENCHMARK(step_of_8_phases_instructions)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace

BENCHMARK_MAIN();
