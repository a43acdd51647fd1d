// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/step_recorder.h"

#include "harness/measure/instrument.h"

namespace stepbench {

void StepRecorder::start_step(std::int64_t index) {
  step_ = {};
  index_ = index;
  for (Instrument* instrument : instruments_) instrument->step_begin(index);
  step_.start_ns = clock_.now_ns();
}

const StepRecorder::Step& StepRecorder::finish_step() {
  for (auto i = instruments_.rbegin(); i != instruments_.rend(); ++i) (*i)->step_end();
  return step_;
}

void StepRecorder::begin(PhaseId id, DeviceStream on) {
  for (Instrument* instrument : instruments_) instrument->phase_begin(id, on);
  began_ns_ = clock_.now_ns();
}

void StepRecorder::end(PhaseId id, DeviceStream on) noexcept {
  const std::int64_t spent = clock_.now_ns() - began_ns_;
  step_.phase_ns[static_cast<std::size_t>(id)] += spent;
  if (id == PhaseId::kDataWait && (step_.flags & kEpochBorder) != 0) step_.epoch_wait_ns += spent;
  for (auto i = instruments_.rbegin(); i != instruments_.rend(); ++i) (*i)->phase_end(id, on);
}

}  // namespace stepbench
