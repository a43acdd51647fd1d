// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/runtime_calls.h"

#include <algorithm>
#include <tuple>

namespace stepbench::analyze {

ValueOrReason<std::vector<RuntimeCallRow>> list_runtime_calls(const Timeline& timeline,
                                                              const Steps& steps) {
  if (timeline.calls.empty()) {
    return ValueOrReason<std::vector<RuntimeCallRow>>::absent(
        "the trace has no calls of the runtime or the driver");
  }
  std::vector<RuntimeCallRow> by_name(timeline.trace->names.size());
  const CountedSteps counted(steps);
  for (const CallRow& call : timeline.calls) {
    const trace::TraceEvent& event = *call.event;
    RuntimeCallRow& row = by_name[event.name];
    row.name = event.name;
    row.driver = event.kind == trace::EventKind::kDriver;
    ++row.calls;
    const auto step = counted.at(event.start_ns);
    if (!step) continue;
    ++row.step_calls;
    row.step_ns += event.duration_ns();
    if (row.step_calls == 1 || event.duration_ns() > row.longest.length_ns()) {
      row.longest = span_of(event);
      row.longest_step = *step;
      row.longest_op = call.op == nullptr ? ops::kNoIndex : call.op->name;
    }
  }
  std::erase_if(by_name, [](const RuntimeCallRow& row) { return row.calls == 0; });
  std::stable_sort(by_name.begin(), by_name.end(),
                   [](const RuntimeCallRow& a, const RuntimeCallRow& b) {
                     return std::tuple(a.step_ns, a.calls) > std::tuple(b.step_ns, b.calls);
                   });
  return by_name;
}

}  // namespace stepbench::analyze
