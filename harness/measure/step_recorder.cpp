// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/step_recorder.h"

#include "harness/measure/instrument.h"

namespace stepbench {

void StepRecorder::start_step(std::int64_t index) {
  step_ = {};
  step_.index = index;
  open_ = false;
  for (Instrument* instrument : instruments_) instrument->step_begin(index);
  step_.start_ns = clock_.now_ns();
}

const StepRecorder::Step& StepRecorder::finish_step() {
  for (auto i = instruments_.rbegin(); i != instruments_.rend(); ++i) (*i)->step_end();
  return step_;
}

void StepRecorder::begin(PhaseId id, DeviceStream on) {
  for (Instrument* instrument : instruments_) instrument->phase_begin(id, on);
  step_.nested |= open_;
  open_ = true;
  began_ns_ = clock_.now_ns();
}

void StepRecorder::end(PhaseId id, DeviceStream on) noexcept {
  const std::int64_t spent = clock_.now_ns() - began_ns_;
  const auto phase = static_cast<std::size_t>(id);
  step_.phase_ns[phase] += spent;
  step_.occurred |= std::uint32_t{1} << phase;
  step_.ties += spent <= 0 ? 1 : 0;
  open_ = false;
  if (id == PhaseId::kDataWait && (step_.flags & kEpochBorder) != 0) step_.epoch_wait_ns += spent;
  for (auto i = instruments_.rbegin(); i != instruments_.rend(); ++i) (*i)->phase_end(id, on);
}

}  // namespace stepbench
