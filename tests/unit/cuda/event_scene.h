// SPDX-License-Identifier: Apache-2.0
// Whole cycles of a workload, an event clock and a scripted device together.
#pragma once

#include "harness/catalogue/catalogue.h"
#include "harness/cuda/internal/event_clock.h"
#include "harness/worker/internal/loop.h"
#include "tests/testing.h"
#include "tests/unit/cuda/note_sink.h"
#include "tests/unit/cuda/scripted_cuda.h"

namespace stepbench::cuda {

inline constexpr std::int64_t kUs = 1000;

// A step launches its work in no time; the device takes the time set by the test.
class DeviceWork final : public Workload {
 public:
  using Step = std::function<void(StepRecorder&)>;
  DeviceWork(CudaApi api, Step step, bool waits = true)
      : api_(std::move(api)), step_(std::move(step)), waits_(waits) {}
  std::optional<std::string> set_up() override { return std::nullopt; }
  void step(StepRecorder& step) override { step_(step); }
  void steps_done() override { on_steps_done(); }
  void synchronize() override {
    if (waits_) (void)api_.device_synchronize();
    on_wait();
  }
  void before_cycle() override { on_cycle(); }
  void window(Edge edge) override {
    if (edge == Edge::kBegin) on_window();
  }
  void tear_down() override {}
  Fingerprint fingerprint() override { return {0, 0}; }

  std::function<void()> on_cycle = [] {};
  std::function<void()> on_window = [] {};
  std::function<void()> on_steps_done = [] {};
  std::function<void()> on_wait = [] {};

 private:
  CudaApi api_;
  Step step_;
  bool waits_;
};

struct EventScene {
  void run(const DeviceWork::Step& step) {
    DeviceWork workload(cuda.api(), step, workload_waits);
    workload.on_cycle = [&] { cuda.log.push_back("CYCLE"); };
    workload.on_window = [&] {
      cuda.log.push_back("WINDOW");
      before_window();
    };
    workload.on_steps_done = after_steps;
    workload.on_wait = while_waiting;
    std::vector<std::string> names;
    for (const Phase& phase : built_in_phases()) names.push_back(phase.name);
    options.phase_names = names;
    std::vector<std::unique_ptr<Instrument>> instruments;
    EventClock* events = nullptr;
    if (!without_events) {
      auto made = std::make_unique<EventClock>(api, clock, options);
      refused = made->exercise();
      if (refused) return;
      events = made.get();
      instruments.push_back(std::move(made));
    }
    worker::InstrumentSet set(std::move(instruments));
    worker::LoopOptions loop_options;
    loop_options.schedule = schedule;
    loop_options.stop.cycles = schedule.repeat;
    loop_options.deadline_ns = std::numeric_limits<std::int64_t>::max();
    worker::Loop loop(loop_options, clock, workload, set, names);
    loop.exercise();
    (void)loop.run([](const worker::LoopStage&) {},
                   [&](const Series& cycle) { cycles.push_back(cycle); });
    if (events != nullptr) events->report(said);
  }

  [[nodiscard]] const std::vector<std::int64_t>& column(std::string_view name) const {
    return cycles.back().column(name);
  }

  ScriptedClock clock;
  ScriptedCuda cuda{clock};
  CudaApi api = cuda.api();
  EventClockOptions options{.window = 4};
  schedule::Schedule schedule{.wait = 0, .warmup = 2, .active = 4, .repeat = 1};
  std::function<void()> before_window = [] {};
  std::function<void()> after_steps = [] {};    // of a window, before the host waits for the device
  std::function<void()> while_waiting = [] {};  // for the device
  bool without_events = false;
  bool workload_waits = true;  // for the device, if the loop requests it
  std::optional<std::string> refused;
  std::vector<Series> cycles;
  NoteSink said;
};

// Part of a step: a phase, its launched work and the host time.
struct Part {
  std::optional<PhaseId> phase;
  std::int64_t device_us = 0;  // 0: launches nothing
  std::int64_t host_us = 0;
  std::size_t side = 0;  // 1 and 2: on a side stream
};

inline DeviceWork::Step parts(EventScene& scene, std::vector<Part> parts) {
  return [&scene, parts = std::move(parts)](StepRecorder& step) {
    static int streams[3] = {};
    for (const Part& part : parts) {
      const CudaStream stream = part.side == 0 ? nullptr : &streams[part.side];
      const auto work = [&] {
        if (part.device_us > 0) scene.cuda.launch(stream, part.device_us * kUs);
        scene.clock.pass(part.host_us * kUs);
      };
      if (!part.phase) {
        work();
        continue;
      }
      const auto phase = step.phase(*part.phase, DeviceStream{stream});
      work();
    }
  };
}

// Host: 10 us in forward, 20 us in backward. Device: as given.
inline DeviceWork::Step two_phases(EventScene& scene, std::int64_t forward_ns,
                                   std::int64_t backward_ns) {
  return [&scene, forward_ns, backward_ns](StepRecorder& step) {
    {
      const auto forward = step.phase(PhaseId::kForward);
      scene.cuda.launch(nullptr, forward_ns);
      scene.clock.pass(10 * kUs);
    }
    const auto backward = step.phase(PhaseId::kBackward);
    scene.cuda.launch(nullptr, backward_ns);
    scene.clock.pass(20 * kUs);
  };
}

}  // namespace stepbench::cuda
