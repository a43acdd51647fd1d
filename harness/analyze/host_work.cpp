// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/host_work.h"

#include <algorithm>
#include <unordered_map>

namespace stepbench::analyze {
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

// Goes through moments in rising order and finds their counted step.
class CountedSteps {
 public:
  explicit CountedSteps(const Steps& steps) : steps_(steps), counted_(steps.counted()) {}

  // Null outside of them.
  [[nodiscard]] const std::size_t* at(std::int64_t at_ns) {
    while (next_ < counted_.size() && window(next_).end_ns <= at_ns) ++next_;
    if (next_ == counted_.size() || !window(next_).contains(at_ns)) return nullptr;
    return &counted_[next_];
  }

 private:
  [[nodiscard]] const TimeSpan& window(std::size_t i) const {
    return steps_.steps[counted_[i]].window;
  }

  const Steps& steps_;
  std::vector<std::size_t> counted_;
  std::size_t next_ = 0;
};

class OperatorWalk {
 public:
  OperatorWalk(const trace::Trace& trace, const Steps& steps) : trace_(trace), counted_(steps) {}

  void walk(const trace::TraceLane& lane) {
    for (const trace::TraceEvent& event : lane.events) {
      if (event.kind != trace::EventKind::kOp && event.kind != trace::EventKind::kAnnotation)
        continue;
      if (trace_.facts_of(event).data_wait)
        loading_until_ns_ = std::max(loading_until_ns_, event.end_ns);
      if (event.kind != trace::EventKind::kOp || event.start_ns < loading_until_ns_) continue;
      const std::size_t* step = counted_.at(event.start_ns);
      if (event.start_ns >= outermost_until_ns_) {
        outermost_ = &event;
        outermost_until_ns_ = event.end_ns;
        if (step != nullptr) outermost_rows.push_back({&event, *step});
      }
      if (step == nullptr) continue;
      if (trace_.name_of(event) == kRead) read(event, *step);
      if (event.start_ns >= tiny_until_ns_) add(event, *step);
    }
    out.most_often = tiny_names_.most();
    out.most_reading = reading_.most();
  }

  struct Outermost {
    const trace::TraceEvent* row = nullptr;
    std::size_t step = 0;
  };

  HostWork out;
  std::vector<Outermost> outermost_rows;  // of the counted steps

 private:
  void read(const trace::TraceEvent& event, std::size_t step) {
    if (out.reads++ == 0) {
      out.first_read = span_of(*outermost_);
      out.first_read_step = step;
    }
    reading_.add(event.start_ns < outermost_until_ns_ ? outermost_->name : event.name);
  }
  void add(const trace::TraceEvent& event, std::size_t step) {
    if (event.duration_ns() >= HostWork::kTinyNs) {
      run_ = {};
      return;
    }
    tiny_until_ns_ = event.end_ns;
    ++out.tiny;
    out.tiny_ns += event.duration_ns();
    tiny_names_.add(event.name);
    if (run_.length_ns() == 0 || step != run_step_) run_ = span_of(event);
    run_step_ = step;
    run_.end_ns = event.end_ns;
    if (run_.length_ns() <= out.slowest_run.length_ns()) return;
    out.slowest_run = run_;
    out.slowest_run_step = step;
  }

  const trace::Trace& trace_;
  CountedSteps counted_;
  NameCounts tiny_names_;
  NameCounts reading_;
  const trace::TraceEvent* outermost_ = nullptr;
  std::int64_t outermost_until_ns_ = 0;
  std::int64_t loading_until_ns_ = 0;
  std::int64_t tiny_until_ns_ = 0;
  TimeSpan run_ = {};
  std::size_t run_step_ = 0;
};

HostWork::Allocations large_allocations(const trace::Trace& trace, const Steps& steps,
                                        const std::vector<OperatorWalk::Outermost>& rows) {
  HostWork::Allocations out;
  CountedSteps counted(steps);
  NameCounts names;
  std::unordered_map<std::uint64_t, std::int64_t> held;  // bytes by address
  std::int64_t held_bytes = 0;
  auto row = rows.begin();
  for (const trace::TraceMemory& event : trace.memory) {
    if (event.device >= 0 || event.lane != steps.lane) continue;
    if (event.bytes < 0) {
      const auto freed = held.find(event.address);
      if (freed == held.end()) continue;
      held_bytes -= freed->second;
      held.erase(freed);
      continue;
    }
    const std::size_t* step = counted.at(event.at_ns);
    if (step == nullptr || event.bytes < HostWork::kLargeBytes) continue;
    while (row != rows.end() && row->row->end_ns <= event.at_ns) ++row;
    // Memory of batches and of a loader is not the step's.
    if (row == rows.end() || row->row->start_ns > event.at_ns) continue;
    if (out.count++ == 0) {
      out.first = span_of(*row->row);
      out.first_step = *step;
    }
    out.bytes += event.bytes;
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

Known<HostWork> find_host_work(const Timeline& timeline, const Steps& steps) {
  const trace::Trace& trace = *timeline.trace;
  if (steps.lane == ops::kNoIndex) {
    return Known<HostWork>::absent("the trace has no thread that steps run on");
  }
  OperatorWalk operators(trace, steps);
  operators.walk(trace.lanes[steps.lane]);
  HostWork out = operators.out;
  if (!trace.memory.empty()) {
    out.allocations = large_allocations(trace, steps, operators.outermost_rows);
  }
  return out;
}

}  // namespace stepbench::analyze
