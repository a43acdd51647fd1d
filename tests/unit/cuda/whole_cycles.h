// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/measure/instrument_set.h"
#include "harness/measure/window_samples.h"
#include "harness/schedule/schedule.h"
#include "harness/workload.h"

namespace stepbench {

struct CycleHooks {
  std::function<void()> before_cycle = [] {};   // on an idle device
  std::function<void()> before_window = [] {};  // the queue is as the warm-up left it
  std::function<void(const Columns&)> after_window = [](const Columns&) {};
};

// The cycles of a schedule as a worker drives them: the device is drained before the first step of
// a cycle and after its window, and nowhere between.
inline void drive_cycles(const Schedule& schedule, const Clock& clock, Workload& workload,
                         InstrumentSet& set, const std::vector<std::string>& names,
                         const CycleHooks& hooks) {
  const std::int64_t length = schedule.wait + schedule.warmup + schedule.active;
  StepRecorder recorder(clock);
  WindowSamples samples(names);
  samples.prepare(static_cast<std::size_t>(schedule.active));
  for (std::int64_t step = 0; step < length * schedule.repeat; ++step) {
    if (step % length == 0) {
      workload.synchronize();
      hooks.before_cycle();
    }
    const Action action = action_at(schedule, step);
    if (step % length == schedule.wait + schedule.warmup) hooks.before_window();
    set.change(action);
    recorder.listeners(set.listening());
    recorder.start_step(step);
    workload.step(recorder);
    const StepRecorder::Step& taken = recorder.finish_step();
    if (is_active(action)) samples.append(taken);
    if (action != Action::kRecordAndSave) continue;
    const std::int64_t end_ns = clock.now_ns();
    workload.synchronize();
    Columns columns = samples.columns(end_ns);
    for (Instrument* instrument : set.all()) instrument->add_columns(columns);
    samples.clear();
    hooks.after_window(columns);
  }
  set.change(Action::kNone);
}

}  // namespace stepbench
