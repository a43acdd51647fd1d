// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <variant>

#include "harness/catalogue/catalogue.h"
#include "harness/cuda/device_activity.h"
#include "harness/cuda/internal/event_clock.h"
#include "harness/cuda/internal/nvtx_ranges.h"
#include "harness/worker/internal/loop.h"
#include "tests/gpu/rehearsal.h"
#include "tests/testing.h"
#include "tests/unit/cuda/note_sink.h"

namespace stepbench::gpu {

// The CUDA runtime, or the reason why device tests are skipped.
[[nodiscard]] inline std::variant<cuda::CudaApi, std::string> device_or_reason() {
  if (rehearsing()) return rehearsed_device();
  auto api = cuda::load_cuda_api();
  if (std::holds_alternative<std::string>(api)) return api;
  if (std::string why = cuda::device_missing(std::get<cuda::CudaApi>(api), 0); !why.empty())
    return why;
  return api;
}

// Prints a line of the report of tools/gpu_check: the requirement and the value.
inline void number(const std::string& what, const std::string& asked, const std::string& seen,
                   const std::string& verdict) {
  std::printf("number: | %s | %s | %s | %s |\n", what.c_str(), asked.c_str(), seen.c_str(),
              verdict.c_str());
}

[[nodiscard]] inline const char* passed(bool holds) { return holds ? "passed" : "failed"; }

// Gives device work the step and phase that launched it: id = (step + 1) * 64 + phase.
class Attribution final : public Instrument {
 public:
  explicit Attribution(cuda::ActivityCollector& collector) : collector_(collector) {}
  static std::uint64_t id_of(std::int64_t step, PhaseId phase) {
    return static_cast<std::uint64_t>(step + 1) * 64 + static_cast<std::uint64_t>(phase);
  }
  [[nodiscard]] std::string_view name() const override { return "attribution"; }
  [[nodiscard]] std::optional<std::string> exercise() override { return std::nullopt; }
  void change(Action from, Action to) override {
    if (from != Action::kRecord && to >= Action::kRecord) collector_.discard();
  }
  void step_begin(std::int64_t index) override { step_ = index; }
  void step_end() noexcept override {}
  void phase_begin(PhaseId id, DeviceStream) override { collector_.push(id_of(step_, id)); }
  void phase_end(PhaseId, DeviceStream) noexcept override { collector_.pop(); }
  void report(ReportSink&) const override {}

 private:
  cuda::ActivityCollector& collector_;
  std::int64_t step_ = 0;
};

[[nodiscard]] inline std::vector<std::string> phase_names() {
  std::vector<std::string> names;
  for (const Phase& phase : built_in_phases()) names.push_back(phase.name);
  return names;
}

struct Measured {
  Series cycle;
  std::map<std::string, double> metrics;  // of the instruments
  std::vector<std::string> notes;
};
struct Listeners {
  cuda::ActivityCollector* collector = nullptr;  // attributed activity records
  bool nvtx = false;
};

// Measures one cycle with events and other instruments.
[[nodiscard]] inline Measured measure_with(const cuda::CudaApi& api, Workload& workload,
                                           std::int64_t active, const Listeners& listeners) {
  const HostClock clock;
  std::vector<std::unique_ptr<Instrument>> instruments;
  instruments.push_back(std::make_unique<cuda::EventClock>(
      api, clock,
      cuda::EventClockOptions{.window = static_cast<std::size_t>(active),
                              .phase_names = phase_names()}));
  if (listeners.nvtx) {
    instruments.push_back(cuda::make_nvtx_ranges(api, {.phase_names = phase_names()}));
  }
  if (listeners.collector != nullptr) {
    instruments.push_back(std::make_unique<Attribution>(*listeners.collector));
  }
  for (const auto& instrument : instruments) EXPECT_EQ(instrument->exercise(), std::nullopt);
  worker::InstrumentSet set(std::move(instruments));
  worker::LoopOptions options;
  options.schedule = {.wait = 0, .warmup = 10, .active = active, .repeat = 1};
  options.stop.cycles = 1;
  options.deadline_ns = std::numeric_limits<std::int64_t>::max();
  worker::Loop loop(options, clock, workload, set, phase_names());
  loop.exercise();
  Measured measured;
  (void)loop.run([](const worker::LoopStage&) {},
                 [&](const Series& columns) { measured.cycle = columns; });
  cuda::NoteSink said;
  for (const Instrument* instrument : set.all()) instrument->report(said);
  measured.metrics = said.metrics;
  measured.notes = said.notes;
  for (const std::string& note : said.notes) {
    EXPECT_EQ(note.find("no device times"), std::string::npos) << note;
  }
  return measured;
}

[[nodiscard]] inline Series measure(const cuda::CudaApi& api, Workload& workload,
                                    std::int64_t active,
                                    cuda::ActivityCollector* collector = nullptr) {
  return measure_with(api, workload, active, {.collector = collector}).cycle;
}

}  // namespace stepbench::gpu

#define STEPBENCH_NEED_GPU(api)                                                     \
  auto api##_or_reason = ::stepbench::gpu::device_or_reason();                      \
  if (auto* why = std::get_if<std::string>(&api##_or_reason)) GTEST_SKIP() << *why; \
  const ::stepbench::cuda::CudaApi api = std::get<::stepbench::cuda::CudaApi>(api##_or_reason)
