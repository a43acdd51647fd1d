// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "harness/analyze/integrity_notes.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::analyze {
namespace {

// Describes what happens to truncated steps: they count only if there are no others.
std::string truncated_steps_note(const Steps& steps) {
  const std::vector<std::size_t> counted_steps = steps.counted();
  const bool counts = std::any_of(counted_steps.begin(), counted_steps.end(),
                                  [&](std::size_t i) { return steps.steps[i].truncated; });
  return counts ? "the summary uses it anyway, as there is no whole step"
                : "left out of the summary";
}

// "1 step reaches", "2 steps reach"
std::string steps_that(std::int64_t count, std::string_view one, std::string_view several) {
  return text::counted(count, "step") + ' ' + std::string(count == 1 ? one : several);
}

void check_numbers(const Steps& steps, IntegrityNotes& notes) {
  if (steps.duplicates > 0) {
    notes.add(IntegrityLevel::kWarning, "duplicate_steps",
              text::counted(steps.duplicates, "row") +
                  " with the number of an earlier step: the first of each number counts",
              steps.duplicates);
  }
  if (steps.gaps > 0) {
    notes.add(IntegrityLevel::kWarning, "missing_steps",
              text::counted(steps.gaps, "step") +
                  " missing between the first and the last one: a step before a gap ends with its "
                  "own row",
              steps.gaps);
  }
  if (steps.overlapping > 0) {
    notes.add(IntegrityLevel::kWarning, "overlapping_steps",
              steps_that(steps.overlapping, "ends", "end") + " after the next one began",
              steps.overlapping);
  }
  if (steps.clipped > 0) {
    notes.add(IntegrityLevel::kWarning, "clipped_steps",
              steps_that(steps.clipped, "reaches", "reach") +
                  " beyond the interval that the profiler says it recorded: cut there; " +
                  truncated_steps_note(steps),
              steps.clipped);
  }
}

void check_work(const Steps& steps, IntegrityNotes& notes) {
  std::int64_t empty = 0;
  std::int64_t with_work = 0;
  for (const Step& step : steps.steps) ++(step.device_rows == 0 ? empty : with_work);
  if (with_work > 0 && empty > 0) {
    notes.add(IntegrityLevel::kWarning, "steps_without_device_rows",
              text::with_separators(empty) + " of " +
                  text::counted(std::ssize(steps.steps), "step") + " launched no device row",
              empty, std::ssize(steps.steps));
  }
  if (steps.steps.size() >= 2 && steps.steps.back().truncated && steps.clipped == 0 &&
      steps.steps.back().device_rows > 0) {
    const Step& last = steps.steps.back();
    const Step& before = steps.steps[steps.steps.size() - 2];
    notes.add(IntegrityLevel::kWarning, "truncated_last_step",
              "the last step has " + text::with_separators(last.device_rows) +
                  " device rows, the one before " + text::with_separators(before.device_rows) +
                  ": the recording stopped early; " + truncated_steps_note(steps),
              last.device_rows, before.device_rows);
  }
}

// Work before the first and after the last step.
void check_outside(const Timeline& timeline, const Steps& steps, IntegrityNotes& notes) {
  if (steps.window != WindowKind::kHostStep || steps.steps.empty()) return;
  const trace::Trace& trace = *timeline.trace;
  const TimeSpan all = {steps.steps.front().window.begin_ns, steps.steps.back().window.end_ns};
  const std::int64_t work =
      std::count_if(timeline.work.begin(), timeline.work.end(), [&](const WorkRow& row) {
        const trace::TraceEvent* call = timeline.call_of(row);
        return call != nullptr && !all.contains(call->start_ns);
      });
  std::int64_t ops = 0;
  for (const trace::TraceLane& lane : trace.lanes) {
    if (lane.kind != trace::LaneKind::kHost) continue;
    ops +=
        std::count_if(lane.events.begin(), lane.events.end(), [&](const trace::TraceEvent& event) {
          return event.kind == trace::EventKind::kOp && !all.contains(event.start_ns);
        });
  }
  if (work + ops == 0) return;
  std::vector<std::string> what;
  if (ops > 0) what.push_back(text::counted(ops, "op"));
  if (work > 0) what.push_back(text::counted(work, "device row"));
  notes.add(IntegrityLevel::kNote, "work_outside_steps",
            text::join_and(what) +
                " begun before the first or after the last step: not counted in any step",
            work + ops, timeline.ops + std::ssize(timeline.work));
}

void check_count(const Steps& steps, IntegrityNotes& notes) {
  const std::vector<std::size_t> counted_steps = steps.counted();
  if (steps.steps.size() < 2 || steps.chosen) return;
  const bool edges = std::any_of(counted_steps.begin(), counted_steps.end(),
                                 [&](std::size_t i) { return steps.steps[i].edge; });
  if (edges) {
    notes.add(IntegrityLevel::kNote, "only_edge_steps",
              "the trace has no whole step between the first and the last one: the summary is "
              "based on these, which often differ from all others; profile five or more",
              std::ssize(counted_steps));
  } else if (counted_steps.size() < 3) {
    notes.add(IntegrityLevel::kNote, "few_steps",
              "the summary is based on " + text::counted(std::ssize(counted_steps), "step") +
                  " between the first and the last one: profile five or more to see how steps "
                  "differ",
              std::ssize(counted_steps));
  }
}

}  // namespace

void check_steps(const Timeline& timeline, const Steps& steps, IntegrityNotes& notes) {
  if (!steps.reason.empty()) notes.add(IntegrityLevel::kNote, "no_steps", steps.reason);
  check_numbers(steps, notes);
  check_work(steps, notes);
  if (steps.other_thread) {
    notes.add(IntegrityLevel::kWarning, "steps_on_another_thread",
              "the thread with the steps has no other rows: the busiest thread is taken as the "
              "step thread");
  }
  check_outside(timeline, steps, notes);
  check_count(steps, notes);
}

}  // namespace stepbench::analyze
