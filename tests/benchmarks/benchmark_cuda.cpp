// SPDX-License-Identifier: Apache-2.0
// What our own code adds to a phase mark with device events and NVTX ranges on, on a device that
// answers at once: at most 3 us host time, to which a real driver adds its two cudaEventRecord.
#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/cuda/event_clock.h"
#include "harness/cuda/nvtx_ranges.h"
#include "harness/measure/instrument_set.h"
#include "harness/measure/window_samples.h"

namespace {

stepbench::cuda::CudaApi instant_device() {
  stepbench::cuda::CudaApi api;
  api.device_count = [](int* count) {
    *count = 1;
    return 0;
  };
  api.set_device = [](int) { return 0; };
  api.device_synchronize = [] { return 0; };
  api.event_create = [](stepbench::cuda::CudaEvent* event) {
    static char memory = 0;
    *event = &memory;
    return 0;
  };
  api.event_destroy = [](stepbench::cuda::CudaEvent) { return 0; };
  api.event_record = [](stepbench::cuda::CudaEvent, stepbench::cuda::CudaStream) { return 0; };
  api.event_query = [](stepbench::cuda::CudaEvent) { return 0; };
  api.event_synchronize = [](stepbench::cuda::CudaEvent) { return 0; };
  api.event_elapsed_ms = [](float* ms, stepbench::cuda::CudaEvent, stepbench::cuda::CudaEvent) {
    *ms = 0.01F;
    return 0;
  };
  api.profiler_start = [] { return 0; };
  api.profiler_stop = [] { return 0; };
  api.error_name = [](int) { return std::string("error"); };
  return api;
}

struct Listening {
  Listening(bool events, bool ranges) {
    std::vector<std::string> names;
    for (const stepbench::Phase& phase : stepbench::built_in_phases()) names.push_back(phase.name);
    std::vector<std::unique_ptr<stepbench::Instrument>> made;
    if (events) {
      made.push_back(std::make_unique<stepbench::cuda::EventClock>(
          api, clock, stepbench::cuda::EventClockOptions{.window = 1000, .phase_names = names}));
    }
    if (ranges) made.push_back(stepbench::cuda::make_nvtx_ranges(api, {.phase_names = names}));
    for (const auto& instrument : made) (void)instrument->exercise();
    set = stepbench::measure::InstrumentSet(std::move(made));
    set.change(stepbench::Action::kRecord);
    recorder.listeners(set.listening());
  }
  stepbench::cuda::CudaApi api = instant_device();
  stepbench::HostClock clock;
  stepbench::measure::InstrumentSet set;
  stepbench::StepRecorder recorder{clock};
};

// Eight phases in a step, its begin and end among them, and the reading of one older step: the ring
// is full after the first 256.
void step_of_8_phases(benchmark::State& state, bool events, bool ranges) {
  Listening listening(events, ranges);
  using stepbench::PhaseId;
  constexpr std::array kPhases = {PhaseId::kDataWait, PhaseId::kH2d,      PhaseId::kZeroGrad,
                                  PhaseId::kForward,  PhaseId::kLoss,     PhaseId::kBackward,
                                  PhaseId::kGradSync, PhaseId::kOptimizer};
  std::int64_t index = 0;
  for (auto _ : state) {
    listening.recorder.start_step(index++);
    for (const PhaseId id : kPhases) {
      const auto phase = listening.recorder.phase(id);
      benchmark::ClobberMemory();
    }
    benchmark::DoNotOptimize(listening.recorder.finish_step());
  }
  state.counters["per_phase"] = benchmark::Counter(
      8, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(step_of_8_phases, nothing_listens, false, false);
BENCHMARK_CAPTURE(step_of_8_phases, events, true, false);
BENCHMARK_CAPTURE(step_of_8_phases, nvtx, false, true);
BENCHMARK_CAPTURE(step_of_8_phases, events_and_nvtx, true, true);

}  // namespace

BENCHMARK_MAIN();
