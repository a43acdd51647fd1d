// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/host_work.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "harness/traces/internal/device_work.h"
#include "harness/traces/internal/host_activity.h"
#include "harness/traces/internal/nesting.h"

namespace stepbench::traces {
namespace {

constexpr std::string_view kRead = "aten::_local_scalar_dense";

class NameCounts {
 public:
  void add(std::uint32_t name) {
    const std::int64_t count = ++counts_[name];
    if (count > most_.count) most_ = {name, count};
  }
  [[nodiscard]] HostWork::Often most() const { return most_; }

 private:
  std::unordered_map<std::uint32_t, std::int64_t> counts_;
  HostWork::Often most_;
};

class OperatorWalk {
 public:
  OperatorWalk(const Trace& trace, const Steps& steps, const TraceLane& lane)
      : trace_(trace), counted_(steps), lane_(lane) {}

  void walk() {
    for (const TraceEvent& event : lane_.events) {
      if (!is_op_or_annotation(event.kind)) continue;
      if (trace_.facts_of(event).data_wait)
        loading_until_ns_ = std::max(loading_until_ns_, event.end_ns);
      if (trace_.facts_of(event).optimizer)
        optimizer_until_ns_ = std::max(optimizer_until_ns_, event.end_ns);
      if (event.kind != EventKind::kOp || event.start_ns < loading_until_ns_) continue;
      const auto step = counted_.at(event.start_ns);
      if (event.start_ns >= outermost_until_ns_) {
        outermost_ = &event;
        outermost_until_ns_ = event.end_ns;
        if (step) outermost_rows.push_back({&event, *step});
      }
      if (!step) continue;
      if (event.start_ns >= tiny_until_ns_) add(event, *step);
      if (trace_.name_of(event) == kRead && event.start_ns >= optimizer_until_ns_) {
        read(event, *step);
      }
    }
    take_last();
    out.most_often = tiny_names_.most();
    out.most_reading = reading_.most();
    out.read_python = reading_frames_.most().name;
  }

  struct Outermost {
    const TraceEvent* row = nullptr;
    std::size_t step = 0;
  };

  HostWork out;
  std::vector<Outermost> outermost_rows;  // in the counted steps

 private:
  void read(const TraceEvent& event, std::size_t step) {
    if (out.reads++ == 0) {
      out.first_read = span_of(*outermost_);
      out.first_read_step = step;
    }
    reading_.add(event.start_ns < outermost_until_ns_ ? outermost_->name : event.name);
    const std::uint32_t frame = frames().user_at(event.start_ns);
    if (frame != ops::kNoIndex) reading_frames_.add(frame);
    if (!last_ || event.start_ns >= last_->row->end_ns) {
      out.read_ns += event.duration_ns();
      return;
    }
    out.read_ns += last_->row->duration_ns() + last_->before_ns;
    out.read_between_ns += last_->before_ns;
    last_.reset();
  }
  // Created on demand, because few steps read values.
  const PythonFrames& frames() {
    if (!frames_) frames_.emplace(trace_, lane_);
    return *frames_;
  }
  // Counts the last operator as tiny: no read was found inside it.
  void take_last() {
    if (!last_) return;
    ++out.tiny;
    out.tiny_ns += last_->row->duration_ns();
    out.between_ns += last_->before_ns;
    tiny_names_.add(last_->row->name);
    last_.reset();
  }
  void add(const TraceEvent& event, std::size_t step) {
    take_last();
    if (event.duration_ns() >= HostWork::kTinyNs) {
      run_ = {};
      return;
    }
    const bool follows = run_.length_ns() > 0 && step == run_step_;
    const std::int64_t before_ns = follows ? event.start_ns - run_.end_ns : 0;
    last_ = {&event, before_ns <= HostWork::kTinyNs ? before_ns : 0};
    tiny_until_ns_ = event.end_ns;
    if (run_.length_ns() == 0 || step != run_step_) run_ = span_of(event);
    run_step_ = step;
    run_.end_ns = event.end_ns;
    if (run_.length_ns() <= out.slowest_run.length_ns()) return;
    out.slowest_run = run_;
    out.slowest_run_step = step;
  }

  struct Tiny {
    const TraceEvent* row = nullptr;
    std::int64_t before_ns = 0;  // time since the previous row
  };

  const Trace& trace_;
  CountedSteps counted_;
  const TraceLane& lane_;
  std::optional<PythonFrames> frames_;
  std::optional<Tiny> last_;
  NameCounts tiny_names_;
  NameCounts reading_frames_;
  NameCounts reading_;
  const TraceEvent* outermost_ = nullptr;
  std::int64_t outermost_until_ns_ = 0;
  std::int64_t loading_until_ns_ = 0;
  std::int64_t optimizer_until_ns_ = 0;
  std::int64_t tiny_until_ns_ = 0;
  TimeSpan run_ = {};
  std::size_t run_step_ = 0;
};

HostWork::Allocations large_allocations(const Trace& trace, const Steps& steps,
                                        const std::vector<OperatorWalk::Outermost>& rows) {
  HostWork::Allocations out;
  const CountedSteps counted(steps);
  NameCounts names;
  std::unordered_map<std::uint64_t, std::int64_t> held;  // key: address
  std::int64_t held_bytes = 0;
  auto row = rows.begin();
  for (const TraceMemory& event : trace.memory) {
    if (event.device >= 0 || event.lane != steps.lane) continue;
    if (event.bytes < 0) {
      const auto freed = held.find(event.address);
      if (freed == held.end()) continue;
      held_bytes -= freed->second;
      held.erase(freed);
      continue;
    }
    const auto step = counted.at(event.at_ns);
    if (!step || event.bytes < HostWork::kLargeBytes) continue;
    while (row != rows.end() && row->row->end_ns <= event.at_ns) ++row;
    // Excludes memory of batches and loaders, which is not the step's.
    if (row == rows.end() || row->row->start_ns > event.at_ns) continue;
    if (out.count++ == 0) {
      out.first = span_of(*row->row);
      out.first_step = *step;
    }
    out.bytes += event.bytes;
    if (event.bytes >= HostWork::kMappedBytes) {
      std::int64_t touched_ns = row->row->duration_ns();
      // aten::empty touches no memory; the next operator does.
      const auto next = std::next(row);
      if (trace.name_of(*row->row).starts_with("aten::empty") && next != rows.end()) {
        touched_ns += next->row->duration_ns();
      }
      out.mapped_ns += std::min(touched_ns, event.bytes / HostWork::kPageBytes * HostWork::kPageNs);
    }
    names.add(row->row->name);
    std::int64_t& slot = held[event.address];
    held_bytes += event.bytes - slot;
    slot = event.bytes;
    out.most_held = std::max(out.most_held, held_bytes);
  }
  out.most_often = names.most();
  return out;
}

}  // namespace

ValueOrReason<HostWork> find_host_work(const Timeline& timeline, const Steps& steps) {
  const Trace& trace = *timeline.trace;
  if (steps.lane == ops::kNoIndex) return Absent{"the trace has no step thread"};
  OperatorWalk operators(trace, steps, trace.lanes[steps.lane]);
  operators.walk();
  HostWork out = operators.out;
  if (!trace.memory.empty()) {
    out.allocations = large_allocations(trace, steps, operators.outermost_rows);
  }
  return out;
}

namespace {

struct Wait {
  const CallRow* call = nullptr;
  bool reads = false;
};

// Returns the outermost op around the moment that is inside the same annotations as the moment.
const TraceEvent* outermost_op(const Nesting& rows, std::int64_t at_ns) {
  const TraceEvent* outermost = nullptr;
  for (std::uint32_t row = rows.at(at_ns); row != ops::kNoIndex; row = rows[row].parent) {
    const TraceEvent* event = rows[row].event;
    if (event->kind == EventKind::kAnnotation) break;
    if (event->end_ns > at_ns) outermost = event;
  }
  return outermost;
}

// By thread, each sorted by start.
std::map<std::uint32_t, std::vector<Wait>> waits_of(const Timeline& timeline) {
  const Trace& trace = *timeline.trace;
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
    const bool waits_for_all =
        trace.facts_of(*call.event).call == CallClass::kSynchronize && !of_copies.contains(&call);
    if (reads[i] || waits_for_all) waits[call.event->lane].push_back({&call, reads[i]});
  }
  return waits;
}

class WaitTable {
 public:
  WaitTable(const Timeline& timeline, const Steps& steps)
      : trace_(*timeline.trace), steps_(steps) {}

  void add(const TraceLane& lane, const std::vector<Wait>& waits) {
    const Nesting rows(lane,
                       [](const TraceEvent& event) { return is_op_or_annotation(event.kind); });
    const PythonFrames frames(trace_, lane);
    const TraceEvent* read_op = nullptr;
    for (const Wait& wait : waits) {
      const TraceEvent& call = *wait.call->event;
      const auto step = steps_.at(call.start_ns);
      if (!step) continue;
      const TraceEvent* op = outermost_op(rows, call.start_ns);
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
    std::ranges::stable_sort(out_.places, std::greater{}, &HostWaitPlace::ns);
    return std::move(out_);
  }

 private:
  HostWaitPlace& place_of(std::uint32_t op, std::uint32_t python, bool reads) {
    const auto [at, is_new] = known_.try_emplace({op, python, reads}, out_.places.size());
    if (is_new) out_.places.push_back({.op = op, .python = python, .reads = reads});
    return out_.places[at->second];
  }

  const Trace& trace_;
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

}  // namespace stepbench::traces
