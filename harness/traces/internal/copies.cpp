// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/device_work.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace stepbench::traces {
namespace {

MemoryKind host_side(const NameFacts& facts) {
  if (facts.copy == ops::CopyKind::kHostToDevice) return facts.from;
  if (facts.copy == ops::CopyKind::kDeviceToHost) return facts.to;
  return facts.copy == ops::CopyKind::kDeviceToDevice || facts.copy == ops::CopyKind::kPeer
             ? MemoryKind::kDevice
             : MemoryKind::kUnknown;
}

// A pageable copy's call may return before the recorded end, because its last part is staged.
std::int64_t slack_ns(const TraceEvent& copy) {
  constexpr std::int64_t kSlackNs = 100'000;
  constexpr std::int64_t kSlackPart = 20;
  return std::max(kSlackNs, copy.duration_ns() / kSlackPart);
}

// `end_ns`: when the host continued.
bool blocks(std::int64_t end_ns, std::string_view call_name, const TraceEvent& copy,
            MemoryKind host) {
  if (host == MemoryKind::kDevice) return false;
  // Excludes cudaMemcpy and hipMemcpyWithStream, which always block.
  if (call_name.find("Async") == std::string_view::npos) return true;
  const std::int64_t slack = host == MemoryKind::kPinned ? 0 : slack_ns(copy);
  // A call that returned before the copy began did not wait for it.
  return end_ns > copy.start_ns && end_ns >= copy.end_ns - slack;
}

struct Sums {
  CopyGroup group;
  std::vector<TimeSpan> spans;
  std::vector<double> rates;
};

class CopySums {
 public:
  CopySums(const Timeline& timeline, const Steps& steps)
      : timeline_(timeline),
        steps_(steps),
        busy_(timeline.busy(std::nullopt, [](const WorkRow&) { return true; })),
        kernels_(timeline.busy(std::nullopt, is_kernel)),
        waits_(own_waits(timeline)) {}

  void add(const WorkRow& row) {
    const TraceEvent& copy = *row.event;
    const NameFacts& facts = timeline_.trace->names[copy.name].facts;
    const CallRow* call_row = row.call == ops::kNoIndex ? nullptr : &timeline_.calls[row.call];
    const bool reads = reads_result(*timeline_.trace, copy, call_row);
    Sums& sums = by_name_[{copy.name, reads}];
    CopyGroup& group = sums.group;
    group.name = copy.name;
    group.reads = reads;
    group.direction = facts.copy;
    group.host = host_side(facts);
    ++group.count;
    const std::optional<std::size_t> step = steps_.at(timeline_.placed_by_ns(row));
    if (!step) return;
    ++group.in_steps;
    group.device_ns += copy.duration_ns();
    sums.spans.push_back(span_of(copy));
    if (copy.value >= 0) {
      group.bytes = group.bytes.value_or(0) + copy.value;
      if (copy.duration_ns() > 0) {
        sums.rates.push_back(double(copy.value) / double(copy.duration_ns()));
      }
    }
    if (call_row != nullptr) add_call(*call_row, waits_[row.call], copy, *step, group);
  }

  Copies finish() {
    Copies out;
    for (auto& [key, sums] : by_name_) {
      const IntervalSet all(std::move(sums.spans));
      sums.group.exposed_ns = (all - kernels_).length_ns();
      sums.group.bytes_per_ns = summarise(std::move(sums.rates));
      out.groups.push_back(sums.group);
    }
    std::ranges::stable_sort(out.groups, std::greater{}, &CopyGroup::device_ns);
    return out;
  }

 private:
  // `own_wait` may be null.
  void add_call(const CallRow& call_row, const CallRow* own_wait, const TraceEvent& copy,
                std::size_t step, CopyGroup& group) const {
    const TraceEvent& call = *call_row.event;
    group.call_ns += call.duration_ns();
    const std::int64_t end_ns = own_wait == nullptr ? call.end_ns : own_wait->event->end_ns;
    if (own_wait != nullptr) {
      const TimeSpan wait = span_of(*own_wait->event);
      group.call_ns += wait.length_ns();
      group.own_wait_ns += wait.length_ns();
      group.own_wait_idle_ns += wait.length_ns() - busy_.length_in(wait);
    }
    if (call.duration_ns() > group.longest_call.length_ns()) {
      group.longest_call = span_of(call);
      group.longest_name = call.name;
      group.longest_op = call_row.op == nullptr ? ops::kNoIndex : call_row.op->name;
      group.longest_step = step;
    }
    if (!blocks(end_ns, timeline_.name(call), copy, group.host)) return;
    ++group.blocking;
    const TimeSpan before = {call.start_ns, std::clamp(copy.start_ns, call.start_ns, end_ns)};
    const TimeSpan after = {std::clamp(copy.end_ns, call.start_ns, end_ns), end_ns};
    for (const TimeSpan& wait : {before, after}) {
      const std::int64_t busy_ns = busy_.length_in(wait);
      group.wait_busy_ns += busy_ns;
      group.wait_idle_ns += wait.length_ns() - busy_ns;
    }
  }

  const Timeline& timeline_;
  CountedSteps steps_;
  IntervalSet busy_;
  IntervalSet kernels_;
  std::vector<const CallRow*> waits_;
  std::map<std::pair<std::uint32_t, bool>, Sums> by_name_;  // key: name, and whether they are reads
};

}  // namespace

bool reads_result(const Trace& trace, const TraceEvent& copy, const CallRow* call) {
  const NameFacts& facts = trace.names[copy.name].facts;
  if (facts.copy != ops::CopyKind::kDeviceToHost || call == nullptr) return false;
  if (call->op != nullptr && trace.names[call->op->name].text == "aten::_local_scalar_dense") {
    return true;
  }
  return host_side(facts) != MemoryKind::kPinned && copy.value >= 0 &&
         copy.value <= kSmallReadBytes;
}

std::vector<const CallRow*> own_waits(const Timeline& timeline) {
  std::unordered_map<const TraceEvent*, std::vector<const CallRow*>> by_op;
  for (const CallRow& call : timeline.calls) {
    if (call.op == nullptr || call.op->kind != EventKind::kOp) continue;
    if (timeline.trace->facts_of(*call.event).call != CallClass::kSynchronize) continue;
    by_op[call.op].push_back(&call);
  }
  std::vector<const CallRow*> waits(timeline.calls.size());
  for (const WorkRow& row : timeline.work) {
    if (!is_copy(row) || row.call == ops::kNoIndex) continue;
    const CallRow& call = timeline.calls[row.call];
    const auto found = by_op.find(call.op);
    if (found == by_op.end() || reads_result(*timeline.trace, *row.event, &call)) continue;
    const auto after = std::partition_point(  // calls are sorted by start
        found->second.begin(), found->second.end(),
        [&](const CallRow* wait) { return wait->event->start_ns < call.event->end_ns; });
    if (after != found->second.end()) waits[row.call] = *after;
  }
  return waits;
}

ValueOrReason<Copies> find_copies(const Timeline& timeline, const Steps& steps) {
  CopySums sums(timeline, steps);
  bool any = false;
  for (const WorkRow& row : timeline.work) {
    if (!is_copy(row)) continue;
    sums.add(row);
    any = true;
  }
  if (!any) {
    return Absent{timeline.work.empty() ? "the trace has no device rows"
                                        : "the trace has no copies"};
  }
  return sums.finish();
}

}  // namespace stepbench::traces
