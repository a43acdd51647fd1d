// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/internal/profile_spans.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "harness/ops/op_log.h"

namespace stepbench::profile {

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

void StepMarks::clear() {
  marks_.clear();
  windows_.clear();
}

void StepMarks::measured(std::int64_t first, std::vector<std::int64_t> periods_ns) {
  windows_.push_back({first, std::move(periods_ns)});
}

// A step is marked shortly before its time is read. The shortest such delay of all steps aligns the
// window, so that no mark begins after its step.
void StepMarks::set_borders(ops::OpLog& log, std::size_t from, const Window& window) {
  std::vector<std::int64_t> begins_ns = {0};  // since the first step's begin
  for (const std::int64_t period_ns : window.periods_ns) {
    begins_ns.push_back(begins_ns.back() + period_ns);
  }
  std::vector<ops::StepMark*> steps;
  std::optional<std::int64_t> first_ns;
  for (std::size_t i = from; i < log.marks.size(); ++i) {
    ops::StepMark& mark = log.marks[i];
    const std::int64_t at = mark.index - window.first;
    const auto size = static_cast<std::int64_t>(window.periods_ns.size());
    if (mark.phase != ops::kNoIndex || at < 0 || at >= size) continue;
    steps.push_back(&mark);
    const std::int64_t earliest_ns = mark.start_ns - begins_ns[static_cast<std::size_t>(at)];
    first_ns = std::max(first_ns.value_or(earliest_ns), earliest_ns);
  }
  for (ops::StepMark* mark : steps) {
    const auto at = static_cast<std::size_t>(mark->index - window.first);
    mark->start_ns = *first_ns + begins_ns[at];
    mark->end_ns = *first_ns + begins_ns[at + 1];
  }
}

void StepMarks::add_to(ops::OpLog& log, const std::function<std::int64_t(std::uint64_t)>& ns_of,
                       const std::function<std::string(PhaseId)>& phase_name) const {
  ops::StringTable names(log.names);
  const std::size_t before = log.marks.size();
  for (const Mark& mark : marks_) {
    if (mark.end == 0) continue;  // its step threw
    log.marks.push_back({.start_ns = ns_of(mark.begin),
                         .end_ns = ns_of(mark.end),
                         .index = mark.step,
                         .phase = mark.phase == PhaseId::kOther
                                      ? ops::kNoIndex
                                      : names.id(phase_name(mark.phase))});
  }
  for (const Window& window : windows_) set_borders(log, before, window);
}

void WorkerSpans::listen(bool on) {
  if (on) loader::worker_span_listener = this;
  if (!on && loader::worker_span_listener == this) loader::worker_span_listener = nullptr;
}

void WorkerSpans::add_to(ops::OpLog& log, std::int64_t from_ns, std::int64_t offset_ns) const {
  ops::StringTable names(log.names);
  for (const Made& made : batches_) {
    const loader::BatchCost& cost = made.cost;
    if (cost.ended_ns + offset_ns < from_ns) continue;
    const bool has_process = made.pid != 0;
    const std::int64_t track =
        made.worker == kConsumer ? ops::kStepLoaderTrack : ops::kFirstWorkerTrack + made.worker;
    const std::array<std::int64_t, ops::kLoaderParts.size()> parts = {cost.fetch_ns, cost.decode_ns,
                                                                      cost.collate_ns()};
    std::int64_t at = cost.began_ns + offset_ns;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i] <= 0) continue;
      log.foreign.push_back({.start_ns = at,
                             .end_ns = at + parts[i],
                             .pid = has_process ? made.pid : log.process,
                             .name = names.id(ops::kLoaderParts[i]),
                             .tid = has_process ? 0 : track});
      at += parts[i];
    }
  }
}

}  // namespace stepbench::profile
