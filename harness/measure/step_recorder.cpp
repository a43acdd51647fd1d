// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/step_recorder.h"

#include "harness/measure/instrument.h"

namespace stepbench {

void StepRecorder::start_step(std::int64_t index) {
  step_ = {};
  step_.index = index;
  open_ = false;
  hearing_step_ = 0;
  if (!instruments_.empty()) notify_step_begin();
  step_.start_ns = clock_.now_ns();
}

const StepRecorder::Step& StepRecorder::finish_step() {
  for (; hearing_step_ > 0; --hearing_step_) instruments_[hearing_step_ - 1]->step_end();
  return step_;
}

void StepRecorder::first_token(std::int64_t later_tokens) {
  step_.first_token_ns = clock_.now_ns();
  step_.later_tokens = later_tokens;
}

void StepRecorder::begin(PhaseId id, DeviceStream on) {
  if (!instruments_.empty()) tell_phase_begin(id, on);
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
  if (!instruments_.empty()) tell_phase_end(id, on, instruments_.size());
}

void StepRecorder::notify_step_begin() {
  try {
    for (Instrument* instrument : instruments_) {
      instrument->step_begin(step_.index);
      ++hearing_step_;
    }
  } catch (...) {
    (void)finish_step();
    throw;
  }
}

void StepRecorder::tell_phase_begin(PhaseId id, DeviceStream on) {
  std::size_t told = 0;
  try {
    for (; told < instruments_.size(); ++told) instruments_[told]->phase_begin(id, on);
  } catch (...) {
    tell_phase_end(id, on, told);
    throw;
  }
}

void StepRecorder::tell_phase_end(PhaseId id, DeviceStream on, std::size_t told) noexcept {
  while (told-- > 0) instruments_[told]->phase_end(id, on);
}

}  // namespace stepbench
