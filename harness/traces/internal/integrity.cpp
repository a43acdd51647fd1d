// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/integrity.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "harness/traces/internal/name_facts.h"

namespace stepbench::traces {
namespace {

using enum IntegrityLevel;

class IntegrityNotes {
 public:
  void add(IntegrityLevel level, std::string id, std::string text, std::int64_t count = 0,
           std::int64_t of = 0) {
    notes_.push_back({std::move(id), level, std::move(text), count, of});
  }
  // If there are any.
  void add_some(std::int64_t count, IntegrityLevel level, std::string id, std::string text,
                std::int64_t of = 0) {
    if (count > 0) add(level, std::move(id), std::move(text), count, of);
  }
  [[nodiscard]] std::vector<IntegrityNote> take() { return std::move(notes_); }

 private:
  std::vector<IntegrityNote> notes_;
};

// Calls and device rows: lost records, missing causes, impossible times.

constexpr double kMaxLostLaunches = 0.01;  // share of all launches
constexpr double kManyOrphans = 0.05;      // share of all device rows
constexpr double kMaxImpossibleTimes = 0.001;

double share_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? double(part) / double(whole) : 0;
}

std::string part_text(std::int64_t part, std::int64_t whole) {
  return text::with_separators(part) + " of " + text::with_separators(whole);
}

bool is_launch(const Trace& trace, const TraceEvent& call) {
  const CallClass kind = trace.names[call.name].facts.call;
  return kind == CallClass::kLaunch || kind == CallClass::kGraphLaunch;
}

struct LostLaunches {
  std::int64_t launches = 0;
  std::int64_t lost = 0;
  std::int64_t at_the_end = 0;  // lost launches after the last device row began
};

// Calls that begin or end a graph capture: launches between them do not run.
enum class Capture : std::uint8_t { kNone, kBegin, kEnd };

std::vector<Capture> captures_of(const Trace& trace) {
  std::vector<Capture> captures(trace.names.size());
  std::ranges::transform(trace.names, captures.begin(), [](const TraceName& name) {
    if (name.text.find("StreamBeginCapture") != std::string::npos) {
      return Capture::kBegin;
    }
    return name.text.find("StreamEndCapture") != std::string::npos ? Capture::kEnd : Capture::kNone;
  });
  return captures;
}

// A launching call inside another one on its thread counts as part of it.
LostLaunches lost_launches(const Timeline& timeline) {
  LostLaunches out;
  struct Outer {
    const CallRow* call = nullptr;
    bool recorded = false;
    bool capturing = false;
  };
  const std::vector<Capture> captures = captures_of(*timeline.trace);
  const std::int64_t last_row_ns = timeline.work.empty() ? 0 : timeline.work.back().event->start_ns;
  const auto count = [&](const Outer& outer) {
    ++out.launches;
    if (outer.recorded) return;
    ++out.lost;
    if (outer.call->event->start_ns > last_row_ns) ++out.at_the_end;
  };
  std::unordered_map<std::uint32_t, Outer> open;  // key: lane
  for (const CallRow& call : timeline.calls) {
    const Capture capture = captures[call.event->name];
    if (capture == Capture::kNone && !is_launch(*timeline.trace, *call.event)) continue;
    Outer& outer = open[call.event->lane];
    if (capture != Capture::kNone) outer.capturing = capture == Capture::kBegin;
    if (capture != Capture::kNone || (outer.capturing && call.work == 0)) continue;
    if (outer.call != nullptr && call.event->start_ns < outer.call->event->end_ns &&
        call.event->end_ns <= outer.call->event->end_ns) {
      outer.recorded = outer.recorded || call.work > 0;
      continue;
    }
    if (outer.call != nullptr) count(outer);
    outer.call = &call;
    outer.recorded = call.work > 0;
  }
  for (const auto& [lane, outer] : open) {
    if (outer.call != nullptr) count(outer);
  }
  return out;
}

// Counts device rows that cannot be linked to their own launch: rows that share another row's call,
// and rows without a call that cannot predate the recording because they follow the first row with
// a call on their stream or, if the stream has none, the first launch.
std::int64_t unlinked_rows(const Timeline& timeline) {
  const Trace& trace = *timeline.trace;
  std::int64_t unlinked = 0;
  std::int64_t first_launch_ns = std::numeric_limits<std::int64_t>::max();
  for (const CallRow& call : timeline.calls) {
    if (!is_launch(trace, *call.event)) continue;
    first_launch_ns = std::min(first_launch_ns, call.event->start_ns);
    const bool graph = trace.facts_of(*call.event).call == CallClass::kGraphLaunch;
    if (!graph && call.work > 1) unlinked += call.work - 1;
  }
  std::vector<std::int64_t> from_ns(trace.lanes.size(), first_launch_ns);
  std::vector<bool> linked(trace.lanes.size());
  for (const WorkRow& row : timeline.work) {
    if (row.call == ops::kNoIndex || linked[row.event->lane]) continue;
    linked[row.event->lane] = true;
    from_ns[row.event->lane] = row.event->start_ns;
  }
  return unlinked + std::ranges::count_if(timeline.work, [&](const WorkRow& row) {
           return row.call == ops::kNoIndex && row.event->start_ns >= from_ns[row.event->lane];
         });
}

void check_launches(const Timeline& timeline, IntegrityNotes& notes) {
  const LostLaunches found = lost_launches(timeline);
  if (found.lost == 0) return;
  if (timeline.work.empty()) {
    notes.add(kError, "device_not_recorded",
              text::counted(found.launches, "launch") +
                  " of device work, but no device rows: the profiler did not record the device, "
                  "and its times are unknown",
              found.launches);
    return;
  }
  const std::int64_t inside = found.lost - found.at_the_end;
  const std::int64_t unlinked = inside > 0 ? unlinked_rows(timeline) : 0;
  if (inside > 0 && unlinked >= inside) {
    notes.add(kWarning, "launches_not_linked",
              formatted("{} launches are not linked with a device row, and {} not with a launch of "
                        "its own: nothing is lost, but the launch that started each row is unknown",
                        part_text(inside, found.launches), text::counted(unlinked, "device row")),
              inside, found.launches);
  } else if (inside > 0) {
    const bool many = share_of(inside, found.launches) > kMaxLostLaunches;
    notes.add(many ? kError : kWarning, "launches_without_record",
              part_text(inside, found.launches) +
                  " launches have no device row: the profiler lost records, and their time counts "
                  "as idle",
              inside, found.launches);
  }
  notes.add_some(
      found.at_the_end, kNote, "launches_after_the_end",
      text::counted(found.at_the_end, "launch") +
          " after the last device row began: the recording stopped before their work did",
      found.launches);
}

void check_orphans(const Timeline& timeline, IntegrityNotes& notes) {
  const auto rows = std::ssize(timeline.work);
  const std::int64_t orphans = std::ranges::count(timeline.work, ops::kNoIndex, &WorkRow::call);
  if (orphans == 0) return;
  const bool many = share_of(orphans, rows) > kManyOrphans;
  notes.add(many ? kWarning : kNote, "device_rows_without_call",
            part_text(orphans, rows) +
                " device rows have no launch call: they count in the step in which they run, and "
                "belong to no op",
            orphans, rows);
}

void check_communication(const Timeline& timeline, IntegrityNotes& notes) {
  std::int64_t kernels = 0;
  std::int64_t all_ns = 0;
  std::int64_t doubtful = 0;
  std::int64_t doubtful_ns = 0;
  std::uint32_t first = ops::kNoIndex;
  for (const WorkRow& row : timeline.work) {
    if (!is_kernel(row)) continue;
    ++kernels;
    all_ns += row.event->duration_ns();
    if (!timeline.trace->facts_of(*row.event).perhaps_communication) continue;
    if (doubtful++ == 0) first = row.event->name;
    doubtful_ns += row.event->duration_ns();
  }
  if (doubtful == 0) return;
  constexpr double kWarningShare = 0.01;  // share of the kernels' time
  notes.add(share_of(doubtful_ns, all_ns) > kWarningShare ? kWarning : kNote,
            "communication_not_told_apart",
            formatted("{} of {} in total: unknown whether compute or communication ('{}'); they "
                      "count as compute",
                      text::counted(doubtful, "kernel"), text::duration(double(doubtful_ns)),
                      short_row_name(timeline.trace->names[first].text)),
            doubtful, kernels);
}

void check_times(const Timeline& timeline, IntegrityNotes& notes) {
  const ReadingFacts& reading = timeline.trace->reading;
  const std::int64_t rows = std::max<std::int64_t>(1, reading.rows);
  const auto level = [&](std::int64_t count, std::int64_t of) {
    return share_of(count, of) > kMaxImpossibleTimes ? kError : kWarning;
  };
  notes.add_some(
      reading.negative_durations, level(reading.negative_durations, rows), "negative_durations",
      text::counted(reading.negative_durations, "row") + " with a negative duration: taken as 0",
      reading.rows);
  notes.add_some(
      reading.missing_durations, level(reading.missing_durations, rows), "missing_durations",
      text::counted(reading.missing_durations, "row") + " without a duration: taken as 0",
      reading.rows);
  const std::int64_t slack_ns = timeline.trace->resolution_ns;
  const std::int64_t early = std::ranges::count_if(timeline.work, [&](const WorkRow& row) {
    const TraceEvent* call = timeline.call_of(row);
    return call != nullptr && row.event->start_ns < call->start_ns - slack_ns;
  });
  if (early > 0) {
    const auto of = std::ssize(timeline.work);
    notes.add(level(early, of), "work_before_its_call",
              part_text(early, of) +
                  " device rows begin before the call that launched them: the clocks of host and "
                  "device do not agree",
              early, of);
  }
}

void check_device_rows(const Timeline& timeline, IntegrityNotes& notes) {
  if (timeline.trace->dropped > 0) {
    const auto rows = std::ssize(timeline.work) + std::ssize(timeline.calls) + timeline.ops;
    const bool many = share_of(timeline.trace->dropped, rows) > kMaxLostLaunches;
    notes.add(many ? kError : kWarning, "dropped_records",
              formatted("the recorder dropped {}: content unknown",
                        text::counted(timeline.trace->dropped, "record")),
              timeline.trace->dropped, rows);
  }
  check_launches(timeline, notes);
  check_orphans(timeline, notes);
  check_communication(timeline, notes);
  check_times(timeline, notes);
}

// The file: problems found by the reader, missing header values.

void check_reading(const ReadingFacts& reading, IntegrityNotes& notes) {
  if (reading.damaged()) {
    const std::int64_t places = reading.control_characters + reading.bare_words +
                                reading.bad_escapes + reading.invalid_utf8 + reading.text_times;
    notes.add(kWarning, "damaged_text",
              formatted("invalid JSON: {} read as probably meant, the first at byte {}",
                        text::counted(places, "place"),
                        text::with_separators(std::int64_t(reading.first_damage_at_byte))),
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
      what.push_back(formatted("{} ({})", text::printable(reading.ignored[i].what),
                               text::with_separators(reading.ignored[i].count)));
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
    notes.add(
        kNote, "whole_microseconds",
        formatted(
            "times are whole microseconds: each edge is uncertain by 1 us, and {} have no length",
            text::counted(trace.reading.zero_durations, "row")),
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

void check_file(const Timeline& timeline, IntegrityNotes& notes) {
  check_reading(timeline.trace->reading, notes);
  check_log_lines(*timeline.trace, notes);
  check_resolution(*timeline.trace, notes);
  check_external_ids(timeline, notes);
  check_header(timeline, notes);
  check_copies(timeline, notes);
}

// The lanes: rows that overlap without nesting, and rows outside the recorded span.

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
      formatted("{} of {} host rows overlap another one of their thread without lying inside it: "
                "which op called which is uncertain there",
                text::with_separators(host.crossing()), text::with_separators(host_rows)),
      host_rows);
  notes.add_some(overlapping, kWarning, "stream_rows_overlap",
                 formatted("{} of {} begin before the one before them on their stream ended",
                           text::with_separators(overlapping),
                           text::counted(std::ssize(timeline.work), "device row")),
                 std::ssize(timeline.work));
}

void check_span(const Timeline& timeline, IntegrityNotes& notes) {
  if (!timeline.recorded) return;
  constexpr std::int64_t kSlackNs = 1'000'000;
  const TimeSpan span = {timeline.recorded->begin_ns - kSlackNs,
                         timeline.recorded->end_ns + kSlackNs};
  std::int64_t outside = 0;
  for (const TraceLane& lane : timeline.trace->host_lanes()) {
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
  for (const TraceLane& lane : timeline.trace->host_lanes()) {
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

void check_lanes(const Timeline& timeline, IntegrityNotes& notes) {
  check_nesting(timeline, notes);
  check_span(timeline, notes);
  check_processes(timeline, notes);
}

// The steps.

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
  notes.add_some(
      steps.clipped, kWarning, "clipped_steps",
      formatted("{} beyond the interval that the profiler says it recorded: cut there; {}",
                steps_that(steps.clipped, "reaches", "reach"), truncated_steps_note(steps)));
}

void check_work(const Steps& steps, IntegrityNotes& notes) {
  std::int64_t empty = 0;
  std::int64_t with_work = 0;
  for (const Step& step : steps.steps) ++(step.device_rows == 0 ? empty : with_work);
  if (with_work > 0 && empty > 0) {
    notes.add(kWarning, "steps_without_device_rows",
              formatted("{} of {} launched no device row", text::with_separators(empty),
                        text::counted(std::ssize(steps.steps), "step")),
              empty, std::ssize(steps.steps));
  }
  if (steps.steps.size() >= 2 && steps.steps.back().truncated && steps.clipped == 0 &&
      steps.steps.back().device_rows > 0) {
    const Step& last = steps.steps.back();
    const Step& before = steps.steps[steps.steps.size() - 2];
    notes.add(
        kWarning, "truncated_last_step",
        formatted(
            "the last step has {} device rows, the one before {}: the recording stopped early; {}",
            text::with_separators(last.device_rows), text::with_separators(before.device_rows),
            truncated_steps_note(steps)),
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
  for (const TraceLane& lane : trace.host_lanes()) {
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
              formatted("the summary is based on {} between the first and the last one: profile "
                        "five or more to see how steps differ",
                        text::counted(std::ssize(counted_steps), "step")),
              std::ssize(counted_steps));
  }
}

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

}  // namespace

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

}  // namespace stepbench::traces
