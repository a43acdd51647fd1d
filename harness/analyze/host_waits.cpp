// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/host_waits.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

#include "harness/analyze/python_frames.h"

namespace stepbench::analyze {
namespace {

struct Wait {
  const CallRow* call = nullptr;
  bool reads = false;
};

// Ops open at a given moment of a thread. Moments must be queried in ascending order.
class OutermostOps {
 public:
  explicit OutermostOps(const trace::TraceLane& lane) : lane_(lane) {}

  // Returns the outermost op around the moment that is inside the same annotations as the moment.
  const trace::TraceEvent* at(std::int64_t at_ns) {
    const std::vector<trace::TraceEvent>& events = lane_.events;
    for (; next_ < events.size() && events[next_].start_ns <= at_ns; ++next_) {
      const trace::TraceEvent& event = events[next_];
      if (event.kind != trace::EventKind::kOp && event.kind != trace::EventKind::kAnnotation)
        continue;
      while (!open_.empty() && open_.back()->end_ns <= event.start_ns) open_.pop_back();
      open_.push_back(&event);
    }
    while (!open_.empty() && open_.back()->end_ns <= at_ns) open_.pop_back();
    const trace::TraceEvent* outermost = nullptr;
    for (auto row = open_.rbegin(); row != open_.rend(); ++row) {
      if ((*row)->kind == trace::EventKind::kAnnotation) break;
      if ((*row)->end_ns > at_ns) outermost = *row;
    }
    return outermost;
  }

 private:
  const trace::TraceLane& lane_;
  std::size_t next_ = 0;
  std::vector<const trace::TraceEvent*> open_;
};

// By thread, each sorted by start.
std::map<std::uint32_t, std::vector<Wait>> waits_of(const Timeline& timeline) {
  const trace::Trace& trace = *timeline.trace;
  std::vector<bool> reads(timeline.calls.size());
  for (const WorkRow& row : timeline.work) {
    if (!is_copy(row) || row.call == ops::kNoIndex) continue;
    if (reads_result(trace, *row.event, &timeline.calls[row.call])) reads[row.call] = true;
  }
  // A copy's own wait is reported with the copy.
  const std::vector<const CallRow*> own = own_waits(timeline);
  const std::unordered_set<const CallRow*> of_copies(own.begin(), own.end());
  std::map<std::uint32_t, std::vector<Wait>> waits;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const CallRow& call = timeline.calls[i];
    const bool waits_for_all = trace.facts_of(*call.event).call == trace::CallClass::kSynchronize &&
                               !of_copies.contains(&call);
    if (reads[i] || waits_for_all) waits[call.event->lane].push_back({&call, reads[i]});
  }
  return waits;
}

class WaitTable {
 public:
  WaitTable(const Timeline& timeline, const Steps& steps)
      : trace_(*timeline.trace), steps_(steps) {}

  void add(const trace::TraceLane& lane, const std::vector<Wait>& waits) {
    OutermostOps ops(lane);
    const PythonFrames frames(trace_, lane);
    const trace::TraceEvent* read_op = nullptr;
    for (const Wait& wait : waits) {
      const trace::TraceEvent& call = *wait.call->event;
      const auto step = steps_.at(call.start_ns);
      if (!step) continue;
      const trace::TraceEvent* op = ops.at(call.start_ns);
      const bool of_last_read = !wait.reads && op != nullptr && op == read_op;
      if (wait.reads) read_op = op;
      const bool reads = wait.reads || of_last_read;
      HostWaitPlace& place =
          place_of(op == nullptr ? ops::kNoIndex : op->name, frames.user_at(call.start_ns), reads);
      if (!of_last_read) {
        ++out_.count;
        ++place.count;
        if (reads) ++out_.reads;
      }
      place.ns += call.duration_ns();
      if (place.call == ops::kNoIndex || call.duration_ns() > place.longest.length_ns()) {
        place.call = call.name;
        place.longest = span_of(call);
        place.longest_step = *step;
      }
    }
  }

  HostWaits take() {
    std::stable_sort(out_.places.begin(), out_.places.end(),
                     [](const HostWaitPlace& a, const HostWaitPlace& b) { return a.ns > b.ns; });
    return std::move(out_);
  }

 private:
  HostWaitPlace& place_of(std::uint32_t op, std::uint32_t python, bool reads) {
    const auto [at, is_new] = known_.try_emplace({op, python, reads}, out_.places.size());
    if (is_new) out_.places.push_back({.op = op, .python = python, .reads = reads});
    return out_.places[at->second];
  }

  const trace::Trace& trace_;
  CountedSteps steps_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::size_t> known_;
  HostWaits out_;
};

}  // namespace

HostWaits find_host_waits(const Timeline& timeline, const Steps& steps) {
  WaitTable table(timeline, steps);
  for (const auto& [lane, waits] : waits_of(timeline)) {
    table.add(timeline.trace->lanes[lane], waits);
  }
  return table.take();
}

}  // namespace stepbench::analyze
