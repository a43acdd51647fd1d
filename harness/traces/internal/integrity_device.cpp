// SPDX-License-Identifier: Apache-2.0
// Checks of the device rows of a trace: lost launches, unlinked rows, communication, times.
#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/traces/internal/integrity.h"
#include "harness/traces/internal/name_facts.h"

namespace stepbench::traces {

using enum IntegrityLevel;
namespace {

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
              part_text(inside, found.launches) +
                  " launches are not linked with a device row, and " +
                  text::counted(unlinked, "device row") +
                  " not with a launch of its own: nothing is lost, but the launch that started "
                  "each row is unknown",
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
            text::counted(doubtful, "kernel") + " of " + text::duration(double(doubtful_ns)) +
                " in total: unknown whether compute or communication ('" +
                short_row_name(timeline.trace->names[first].text) + "'); they count as compute",
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

}  // namespace

void check_device_rows(const Timeline& timeline, IntegrityNotes& notes) {
  if (timeline.trace->dropped > 0) {
    const auto rows = std::ssize(timeline.work) + std::ssize(timeline.calls) + timeline.ops;
    const bool many = share_of(timeline.trace->dropped, rows) > kMaxLostLaunches;
    notes.add(many ? kError : kWarning, "dropped_records",
              "the recorder dropped " + text::counted(timeline.trace->dropped, "record") +
                  ": content unknown",
              timeline.trace->dropped, rows);
  }
  check_launches(timeline, notes);
  check_orphans(timeline, notes);
  check_communication(timeline, notes);
  check_times(timeline, notes);
}

}  // namespace stepbench::traces
