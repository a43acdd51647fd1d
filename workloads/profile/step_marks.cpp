// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/step_marks.h"

#include "workloads/profile/string_table.h"

namespace stepbench {

void StepMarks::step_begin(std::int64_t index, std::uint64_t now) {
  index_ = index;
  step_ = marks_.size();
  marks_.push_back({.begin = now, .step = index});
}

void StepMarks::step_end(std::uint64_t now) noexcept {
  if (step_ != kNone) marks_[step_].end = now;
  step_ = kNone;
}

void StepMarks::phase_begin(PhaseId id, std::uint64_t now) {
  phase_ = marks_.size();
  marks_.push_back({.begin = now, .step = index_, .phase = id});
}

void StepMarks::phase_end(std::uint64_t now) noexcept {
  if (phase_ != kNone) marks_[phase_].end = now;
  phase_ = kNone;
}

void StepMarks::add_to(OpLog& log, const std::function<std::int64_t(std::uint64_t)>& ns_of,
                       const std::function<std::string(PhaseId)>& phase_name) const {
  StringTable names(log.names);
  for (const Mark& mark : marks_) {
    if (mark.end == 0) continue;  // its step threw
    log.marks.push_back(
        {.start_ns = ns_of(mark.begin),
         .end_ns = ns_of(mark.end),
         .index = mark.step,
         .phase = mark.phase == PhaseId::kOther ? kNoIndex : names.id(phase_name(mark.phase))});
  }
}

}  // namespace stepbench
