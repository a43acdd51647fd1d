// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "harness/analyze/integrity_notes.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::analyze {
namespace {

// Rows that begin inside another row and end after it, by more than the resolution of the times.
class NestingCheck {
 public:
  explicit NestingCheck(std::int64_t slack_ns) : slack_ns_(slack_ns) {}

  void start_lane() { open_ends_.clear(); }
  void add(const trace::TraceEvent& event) {
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

bool is_host_row(const trace::TraceEvent& event) {
  return event.kind == trace::EventKind::kOp || event.kind == trace::EventKind::kAnnotation ||
         event.kind == trace::EventKind::kPython || trace::is_call(event.kind);
}

void check_nesting(const Timeline& timeline, IntegrityNotes& notes) {
  const trace::Trace& trace = *timeline.trace;
  NestingCheck host(trace.resolution_ns);
  std::int64_t overlapping = 0;
  std::int64_t host_rows = 0;
  for (const trace::TraceLane& lane : trace.lanes) {
    if (lane.kind == trace::LaneKind::kHost) {
      host.start_lane();
      for (const trace::TraceEvent& event : lane.events) {
        if (!is_host_row(event)) continue;
        host.add(event);
        ++host_rows;
      }
    } else if (lane.kind == trace::LaneKind::kStream) {
      const trace::TraceEvent* last = nullptr;
      for (const trace::TraceEvent& event : lane.events) {
        // Copy engines may run concurrently with a stream's kernels.
        if (trace.names[event.name].facts.moves_memory) continue;
        if (last != nullptr && event.start_ns + trace.resolution_ns < last->end_ns) ++overlapping;
        if (last == nullptr || event.end_ns > last->end_ns) last = &event;
      }
    }
  }
  if (host.crossing() > 0) {
    notes.add(IntegrityLevel::kWarning, "host_rows_cross",
              text::with_separators(host.crossing()) + " of " + text::with_separators(host_rows) +
                  " host rows overlap another one of their thread without lying inside it: which "
                  "op called which is uncertain there",
              host.crossing(), host_rows);
  }
  if (overlapping > 0) {
    notes.add(IntegrityLevel::kWarning, "stream_rows_overlap",
              text::with_separators(overlapping) + " of " +
                  text::counted(std::ssize(timeline.work), "device row") +
                  " begin before the one before them on their stream ended",
              overlapping, std::ssize(timeline.work));
  }
}

void check_span(const Timeline& timeline, IntegrityNotes& notes) {
  if (!timeline.recorded) return;
  constexpr std::int64_t kSlackNs = 1'000'000;
  const TimeSpan span = {timeline.recorded->begin_ns - kSlackNs,
                         timeline.recorded->end_ns + kSlackNs};
  std::int64_t outside = 0;
  for (const trace::TraceLane& lane : timeline.trace->lanes) {
    if (lane.kind != trace::LaneKind::kHost) continue;
    outside +=
        std::count_if(lane.events.begin(), lane.events.end(), [&](const trace::TraceEvent& event) {
          return (event.kind == trace::EventKind::kOp || trace::is_call(event.kind)) &&
                 (event.start_ns < span.begin_ns || event.end_ns > span.end_ns);
        });
  }
  if (outside > 0) {
    notes.add(IntegrityLevel::kWarning, "rows_outside_the_span",
              text::counted(outside, "op or call") +
                  " outside the interval that the profiler says it "
                  "recorded: the window was clipped",
              outside);
  }
}

void check_processes(const Timeline& timeline, IntegrityNotes& notes) {
  std::set<std::int64_t> processes;
  for (const trace::TraceLane& lane : timeline.trace->lanes) {
    if (lane.kind != trace::LaneKind::kHost) continue;
    const bool works =
        std::any_of(lane.events.begin(), lane.events.end(), [](const trace::TraceEvent& event) {
          return event.kind == trace::EventKind::kOp || trace::is_call(event.kind);
        });
    if (works) processes.insert(lane.pid);
  }
  if (processes.size() > 1) {
    notes.add(IntegrityLevel::kWarning, "several_processes",
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

}  // namespace stepbench::analyze
