// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/timeline.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace stepbench::traces {
namespace {

// Correlation id -> index of the call. Open addressing: a trace has hundreds of thousands.
class CallIndex {
 public:
  explicit CallIndex(std::size_t calls)
      : slots_(std::bit_ceil(2 * calls + 2)), mask_(slots_.size() - 1) {}

  // Keeps the first call of an id: the outer one, if a runtime call makes a driver call.
  void add(std::uint64_t correlation, std::uint32_t call) {
    Slot& slot = find(correlation);
    if (slot.call == ops::kNoIndex) slot = {correlation, call};
  }
  [[nodiscard]] std::uint32_t at(std::uint64_t correlation) { return find(correlation).call; }

 private:
  struct Slot {
    std::uint64_t correlation = 0;
    std::uint32_t call = ops::kNoIndex;
  };

  Slot& find(std::uint64_t correlation) {
    constexpr std::uint64_t kHashMultiplier = 0x9E3779B97F4A7C15U;
    std::size_t at = std::size_t((correlation * kHashMultiplier) >> 20U) & mask_;
    while (slots_[at].call != ops::kNoIndex && slots_[at].correlation != correlation) {
      at = (at + 1) & mask_;
    }
    return slots_[at];
  }

  std::vector<Slot> slots_;
  std::size_t mask_;
};

// The innermost of the open rows that contains the whole event. Sound rows nest, so the first one
// matches.
const TraceEvent* row_around(const std::vector<const TraceEvent*>& open, const TraceEvent& event) {
  constexpr std::ptrdiff_t kMaxLooks = 64;
  const auto last = open.rbegin() + std::min(kMaxLooks, std::ssize(open));
  const auto found = std::find_if(
      open.rbegin(), last, [&](const TraceEvent* outer) { return event.end_ns <= outer->end_ns; });
  return found == last ? nullptr : *found;
}

template <typename Rows>
void sort_by_start(Rows& rows) {
  const auto earlier = [](const auto& a, const auto& b) {
    if (a.event->start_ns != b.event->start_ns) return a.event->start_ns < b.event->start_ns;
    return a.event->end_ns > b.event->end_ns;
  };
  if (!std::ranges::is_sorted(rows, earlier)) {
    std::ranges::stable_sort(rows, earlier);
  }
}

void collect_calls(const TraceLane& lane, const Trace& trace, Timeline& timeline) {
  std::vector<const TraceEvent*> open;
  for (const TraceEvent& event : lane.events) {
    while (!open.empty() && open.back()->end_ns < event.start_ns) open.pop_back();
    if (is_op_or_annotation(event.kind)) {
      ++(event.kind == EventKind::kOp ? timeline.ops : timeline.annotations);
      if (trace.names[event.name].facts.step < 0) open.push_back(&event);
    } else if (is_call(event.kind)) {
      timeline.calls.push_back({.event = &event, .op = row_around(open, event)});
    } else if (event.kind == EventKind::kPython) {
      ++timeline.python;
    } else if (event.kind == EventKind::kOverhead) {
      ++timeline.overhead;
    }
  }
}

}  // namespace

Timeline::Timeline(const Trace& of) : trace(&of) {
  for (const TraceLane& lane : of.lanes) {
    if (lane.kind == LaneKind::kHost) {
      collect_calls(lane, of, *this);
      continue;
    }
    for (const TraceEvent& event : lane.events) {
      if (is_device_work(event.kind)) {
        work.push_back({.event = &event,
                        .device = lane.device,
                        .communication = event.kind == EventKind::kKernel &&
                                         of.names[event.name].facts.communication});
      } else if (event.kind == EventKind::kSync) {
        ++syncs;
      } else if (event.kind == EventKind::kOverhead) {
        ++overhead;
      } else if (event.kind == EventKind::kSpan && event.end_ns > event.start_ns) {
        recorded = recorded ? TimeSpan{std::min(recorded->begin_ns, event.start_ns),
                                       std::max(recorded->end_ns, event.end_ns)}
                            : span_of(event);
      }
    }
    if (lane.kind == LaneKind::kStream && !lane.events.empty()) devices.push_back(lane.device);
  }
  std::ranges::sort(devices);
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  sort_by_start(calls);
  sort_by_start(work);

  CallIndex index(calls.size());
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    if (calls[i].event->correlation != 0) index.add(calls[i].event->correlation, i);
  }
  for (WorkRow& row : work) {
    if (row.event->correlation == 0) continue;
    row.call = index.at(row.event->correlation);
    if (row.call == ops::kNoIndex) continue;
    CallRow& call = calls[row.call];
    const std::int64_t duration_ns = row.event->duration_ns();
    ++call.work;
    call.device_ns += duration_ns;
    if (!is_kernel(row)) continue;
    call.kernel_ns += duration_ns;
    if (of.facts_of(*row.event).tensor_core) call.tensor_core_ns += duration_ns;
  }
}

std::vector<std::vector<std::uint32_t>> Timeline::calls_of_lanes() const {
  std::vector<std::vector<std::uint32_t>> lanes(trace->lanes.size());
  for (std::uint32_t i = 0; i < calls.size(); ++i) lanes[calls[i].event->lane].push_back(i);
  return lanes;
}

}  // namespace stepbench::traces
