// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/integrity.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::traces {

using enum IntegrityLevel;

std::vector<IntegrityNote> check_integrity(const Timeline& timeline, const Steps& steps) {
  IntegrityNotes notes;
  check_device_rows(timeline, notes);
  check_steps(timeline, steps, notes);
  check_lanes(timeline, notes);
  check_file(timeline, notes);
  std::vector<IntegrityNote> all = notes.take();
  std::ranges::stable_sort(all, std::greater{}, &IntegrityNote::level);
  return all;
}

bool blocks_numbers(const std::vector<IntegrityNote>& notes) {
  return std::ranges::any_of(notes, [](const IntegrityNote& note) { return note.level == kError; });
}

namespace {

void check_reading(const ReadingFacts& reading, IntegrityNotes& notes) {
  if (reading.damaged()) {
    const std::int64_t places = reading.control_characters + reading.bare_words +
                                reading.bad_escapes + reading.invalid_utf8 + reading.text_times;
    notes.add(kWarning, "damaged_text",
              "invalid JSON: " + text::counted(places, "place") +
                  " read as probably meant, the first at byte " +
                  text::with_separators(std::int64_t(reading.first_damage_at_byte)),
              places);
  }
  notes.add_some(reading.duplicate_headers, kWarning, "duplicate_headers",
                 text::counted(reading.duplicate_headers, "key") +
                     " of the file appear twice, as if two traces were written into one file");
  notes.add_some(
      reading.damaged_headers, kWarning, "damaged_headers",
      text::counted(reading.damaged_headers, "key") + " of the file cannot be read: ignored");
  std::int64_t ignored = 0;
  for (const IgnoredRows& rows : reading.ignored) ignored += rows.count;
  if (ignored > 0) {
    constexpr std::size_t kMaxShown = 3;
    std::vector<std::string> what;
    for (std::size_t i = 0; i < std::min(kMaxShown, reading.ignored.size()); ++i) {
      what.push_back(text::printable(reading.ignored[i].what) + " (" +
                     text::with_separators(reading.ignored[i].count) + ")");
    }
    if (reading.ignored.size() > kMaxShown) {
      what.push_back(text::counted(std::ssize(reading.ignored) - std::ssize(what), "other kind"));
    }
    notes.add(kNote, "ignored_rows",
              text::counted(ignored, "row") + " ignored: " + text::join_and(what), ignored,
              reading.rows);
  }
}

// Lost records lower the confidence. Of other errors, such as a missing GPU, one is reported.
void check_log_lines(const Trace& trace, IntegrityNotes& notes) {
  constexpr std::array<std::string_view, 4> kLosses = {"lost", "dropped", "overflow", "exceeded"};
  const auto loses = [&](const std::string& line) {
    return std::ranges::any_of(
        kLosses, [&](std::string_view word) { return line.find(word) != std::string::npos; });
  };
  const auto fails = [](const std::string& line) { return line.starts_with("ERROR"); };
  const std::vector<std::string>& lines = trace.log_lines;
  const auto loss = std::ranges::find_if(lines, loses);
  const auto error = std::ranges::find_if(lines, fails);
  const auto shown = loss != lines.end() ? loss : error;
  if (shown == lines.end()) return;
  constexpr std::size_t kMaxLength = 160;
  notes.add(loss != lines.end() ? kWarning : kNote, "profiler_log",
            "the profiler reported: " + text::printable(shown->substr(0, kMaxLength)));
}

void check_resolution(const Trace& trace, IntegrityNotes& notes) {
  if (trace.resolution_ns > 1 && trace.reading.rows > 0) {
    notes.add(kNote, "whole_microseconds",
              "times are whole microseconds: each edge is uncertain by 1 us, and " +
                  text::counted(trace.reading.zero_durations, "row") + " have no length",
              trace.reading.zero_durations);
  }
}

// In files of 2022 and 2023 a device row's external id repeats its correlation id and names no op.
void check_external_ids(const Timeline& timeline, IntegrityNotes& notes) {
  std::int64_t with_id = 0;
  std::int64_t same = 0;
  for (const WorkRow& row : timeline.work) {
    if (row.event->external == 0) continue;
    ++with_id;
    if (row.event->external == row.event->correlation) ++same;
  }
  if (with_id > 1 && same == with_id) {
    notes.add(
        kNote, "external_ids_unused",
        "external ids equal the correlation ids and name no op: calls are matched to ops by time");
  }
}

void check_header(const Timeline& timeline, IntegrityNotes& notes) {
  const Trace& trace = *timeline.trace;
  if (!timeline.work.empty() && trace.devices.empty()) {
    notes.add(
        kNote, "no_device_properties",
        "the file does not name the device: its memory and its tensor cores cannot be judged");
  }
  if (!trace.rank && !trace.reading.path.empty()) {
    notes.add(kNote, "no_rank", "the file has no rank: taken as rank 0");
  }
}

void check_copies(const Timeline& timeline, IntegrityNotes& notes) {
  const bool copies = std::ranges::any_of(timeline.work, is_copy);
  const bool bytes = std::ranges::any_of(
      timeline.work, [](const WorkRow& row) { return is_copy(row) && row.event->value >= 0; });
  if (!copies || bytes) return;
  notes.add(kNote, "copies_without_bytes", "copies have no sizes");
}

}  // namespace

void check_file(const Timeline& timeline, IntegrityNotes& notes) {
  check_reading(timeline.trace->reading, notes);
  check_log_lines(*timeline.trace, notes);
  check_resolution(*timeline.trace, notes);
  check_external_ids(timeline, notes);
  check_header(timeline, notes);
  check_copies(timeline, notes);
}

namespace {

// Rows that begin inside another row and end after it, by more than the resolution of the times.
class NestingCheck {
 public:
  explicit NestingCheck(std::int64_t slack_ns) : slack_ns_(slack_ns) {}

  void start_lane() { open_ends_.clear(); }
  void add(const TraceEvent& event) {
    while (!open_ends_.empty() && open_ends_.back() <= event.start_ns + slack_ns_) {
      open_ends_.pop_back();
    }
    if (!open_ends_.empty() && event.end_ns > open_ends_.back() + slack_ns_) ++crossing_;
    open_ends_.push_back(event.end_ns);
  }
  [[nodiscard]] std::int64_t crossing() const { return crossing_; }

 private:
  std::int64_t slack_ns_;
  std::vector<std::int64_t> open_ends_;
  std::int64_t crossing_ = 0;
};

bool is_host_row(const TraceEvent& event) {
  return is_op_or_annotation(event.kind) || event.kind == EventKind::kPython || is_call(event.kind);
}

void check_nesting(const Timeline& timeline, IntegrityNotes& notes) {
  const Trace& trace = *timeline.trace;
  NestingCheck host(trace.resolution_ns);
  std::int64_t overlapping = 0;
  std::int64_t host_rows = 0;
  for (const TraceLane& lane : trace.lanes) {
    if (lane.kind == LaneKind::kHost) {
      host.start_lane();
      for (const TraceEvent& event : lane.events) {
        if (!is_host_row(event)) continue;
        host.add(event);
        ++host_rows;
      }
    } else if (lane.kind == LaneKind::kStream) {
      const TraceEvent* last = nullptr;
      for (const TraceEvent& event : lane.events) {
        // Copy engines may run concurrently with a stream's kernels.
        if (trace.names[event.name].facts.moves_memory) continue;
        if (last != nullptr && event.start_ns + trace.resolution_ns < last->end_ns) ++overlapping;
        if (last == nullptr || event.end_ns > last->end_ns) last = &event;
      }
    }
  }
  notes.add_some(
      host.crossing(), kWarning, "host_rows_cross",
      text::with_separators(host.crossing()) + " of " + text::with_separators(host_rows) +
          " host rows overlap another one of their thread without lying inside it: which "
          "op called which is uncertain there",
      host_rows);
  notes.add_some(overlapping, kWarning, "stream_rows_overlap",
                 text::with_separators(overlapping) + " of " +
                     text::counted(std::ssize(timeline.work), "device row") +
                     " begin before the one before them on their stream ended",
                 std::ssize(timeline.work));
}

void check_span(const Timeline& timeline, IntegrityNotes& notes) {
  if (!timeline.recorded) return;
  constexpr std::int64_t kSlackNs = 1'000'000;
  const TimeSpan span = {timeline.recorded->begin_ns - kSlackNs,
                         timeline.recorded->end_ns + kSlackNs};
  std::int64_t outside = 0;
  for (const TraceLane& lane : timeline.trace->lanes) {
    if (lane.kind != LaneKind::kHost) continue;
    outside += std::ranges::count_if(lane.events, [&](const TraceEvent& event) {
      return (event.kind == EventKind::kOp || is_call(event.kind)) &&
             (event.start_ns < span.begin_ns || event.end_ns > span.end_ns);
    });
  }
  notes.add_some(outside, kWarning, "rows_outside_the_span",
                 text::counted(outside, "op or call") +
                     " outside the interval that the profiler says it "
                     "recorded: the window was clipped");
}

void check_processes(const Timeline& timeline, IntegrityNotes& notes) {
  std::set<std::int64_t> processes;
  for (const TraceLane& lane : timeline.trace->lanes) {
    if (lane.kind != LaneKind::kHost) continue;
    const bool works = std::ranges::any_of(lane.events, [](const TraceEvent& event) {
      return event.kind == EventKind::kOp || is_call(event.kind);
    });
    if (works) processes.insert(lane.pid);
  }
  if (processes.size() > 1) {
    notes.add(kWarning, "several_processes",
              text::counted(std::ssize(processes), "process") +
                  " with ops or calls in one file: their rows are taken as threads of one process",
              std::ssize(processes));
  }
}

}  // namespace

void check_lanes(const Timeline& timeline, IntegrityNotes& notes) {
  check_nesting(timeline, notes);
  check_span(timeline, notes);
  check_processes(timeline, notes);
}

namespace {

// Describes what happens to truncated steps: they count only if there are no others.
std::string truncated_steps_note(const Steps& steps) {
  const std::vector<std::size_t> counted_steps = steps.counted();
  const bool counts =
      std::ranges::any_of(counted_steps, [&](std::size_t i) { return steps.steps[i].truncated; });
  return counts ? "the summary uses it anyway, as there is no whole step"
                : "left out of the summary";
}

// "1 step reaches", "2 steps reach"
std::string steps_that(std::int64_t count, std::string_view one, std::string_view several) {
  return text::counted(count, "step") + ' ' + std::string(count == 1 ? one : several);
}

void check_numbers(const Steps& steps, IntegrityNotes& notes) {
  notes.add_some(steps.duplicates, kWarning, "duplicate_steps",
                 text::counted(steps.duplicates, "row") +
                     " with the number of an earlier step: the first of each number counts");
  notes.add_some(
      steps.gaps, kWarning, "missing_steps",
      text::counted(steps.gaps, "step") +
          " missing between the first and the last one: a step before a gap ends with its "
          "own row");
  notes.add_some(steps.overlapping, kWarning, "overlapping_steps",
                 steps_that(steps.overlapping, "ends", "end") + " after the next one began");
  notes.add_some(steps.clipped, kWarning, "clipped_steps",
                 steps_that(steps.clipped, "reaches", "reach") +
                     " beyond the interval that the profiler says it recorded: cut there; " +
                     truncated_steps_note(steps));
}

void check_work(const Steps& steps, IntegrityNotes& notes) {
  std::int64_t empty = 0;
  std::int64_t with_work = 0;
  for (const Step& step : steps.steps) ++(step.device_rows == 0 ? empty : with_work);
  if (with_work > 0 && empty > 0) {
    notes.add(kWarning, "steps_without_device_rows",
              text::with_separators(empty) + " of " +
                  text::counted(std::ssize(steps.steps), "step") + " launched no device row",
              empty, std::ssize(steps.steps));
  }
  if (steps.steps.size() >= 2 && steps.steps.back().truncated && steps.clipped == 0 &&
      steps.steps.back().device_rows > 0) {
    const Step& last = steps.steps.back();
    const Step& before = steps.steps[steps.steps.size() - 2];
    notes.add(kWarning, "truncated_last_step",
              "the last step has " + text::with_separators(last.device_rows) +
                  " device rows, the one before " + text::with_separators(before.device_rows) +
                  ": the recording stopped early; " + truncated_steps_note(steps),
              last.device_rows, before.device_rows);
  }
}

// Work before the first and after the last step.
void check_outside(const Timeline& timeline, const Steps& steps, IntegrityNotes& notes) {
  if (steps.window != WindowKind::kHostStep || steps.steps.empty()) return;
  const Trace& trace = *timeline.trace;
  const TimeSpan all = {steps.steps.front().window.begin_ns, steps.steps.back().window.end_ns};
  const std::int64_t work = std::ranges::count_if(timeline.work, [&](const WorkRow& row) {
    const TraceEvent* call = timeline.call_of(row);
    return call != nullptr && !all.contains(call->start_ns);
  });
  std::int64_t ops = 0;
  for (const TraceLane& lane : trace.lanes) {
    if (lane.kind != LaneKind::kHost) continue;
    ops += std::ranges::count_if(lane.events, [&](const TraceEvent& event) {
      return event.kind == EventKind::kOp && !all.contains(event.start_ns);
    });
  }
  if (work + ops == 0) return;
  std::vector<std::string> what;
  if (ops > 0) what.push_back(text::counted(ops, "op"));
  if (work > 0) what.push_back(text::counted(work, "device row"));
  notes.add(kNote, "work_outside_steps",
            text::join_and(what) +
                " begun before the first or after the last step: not counted in any step",
            work + ops, timeline.ops + std::ssize(timeline.work));
}

void check_count(const Steps& steps, IntegrityNotes& notes) {
  const std::vector<std::size_t> counted_steps = steps.counted();
  if (steps.steps.size() < 2 || steps.chosen) return;
  const bool edges =
      std::ranges::any_of(counted_steps, [&](std::size_t i) { return steps.steps[i].edge; });
  if (edges) {
    notes.add(kNote, "only_edge_steps",
              "the trace has no whole step between the first and the last one: the summary is "
              "based on these, which often differ from all others; profile five or more",
              std::ssize(counted_steps));
  } else if (counted_steps.size() < 3) {
    notes.add(kNote, "few_steps",
              "the summary is based on " + text::counted(std::ssize(counted_steps), "step") +
                  " between the first and the last one: profile five or more to see how steps "
                  "differ",
              std::ssize(counted_steps));
  }
}

}  // namespace

void check_steps(const Timeline& timeline, const Steps& steps, IntegrityNotes& notes) {
  if (!steps.reason.empty()) notes.add(kNote, "no_steps", steps.reason);
  check_numbers(steps, notes);
  check_work(steps, notes);
  if (steps.other_thread) {
    notes.add(kWarning, "steps_on_another_thread",
              "the thread with the steps has no other rows: the busiest thread is taken as the "
              "step thread");
  }
  check_outside(timeline, steps, notes);
  check_count(steps, notes);
}

}  // namespace stepbench::traces
