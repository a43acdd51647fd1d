// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/data_loading.h"

namespace stepbench::analyze {

ValueOrReason<DataLoading> find_data_loading(const Timeline& timeline, const Steps& steps) {
  const trace::Trace& trace = *timeline.trace;
  DataLoading out;
  const IntervalSet busy = timeline.busy(std::nullopt, [](const WorkRow&) { return true; });
  std::vector<double> later;
  std::vector<double> intervals;
  if (steps.lane != ops::kNoIndex) {
    for (const trace::TraceEvent& event : trace.lanes[steps.lane].events) {
      if (!is_host_op(trace, event) || !trace.names[event.name].facts.data_wait) continue;
      LoaderCall call = {.at = span_of(event), .name = event.name};
      call.exposed_ns = call.at.length_ns() - busy.length_in(call.at);
      if (const auto step = steps.at(event.start_ns)) call.step = *step;
      if (out.calls.empty()) {
        out.first_ns = call.at.length_ns();
      } else {
        later.push_back(static_cast<double>(call.at.length_ns()));
        intervals.push_back(static_cast<double>(call.at.begin_ns - out.calls.back().at.begin_ns));
      }
      out.calls.push_back(call);
    }
  }
  if (out.calls.empty()) {
    return ValueOrReason<DataLoading>::absent(
        "the step thread has no DataLoader rows: it loads data without a DataLoader, or another "
        "thread does");
  }
  out.later = summarise(std::move(later));
  out.interval = summarise(std::move(intervals));
  return out;
}

}  // namespace stepbench::analyze
