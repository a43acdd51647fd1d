// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <numeric>

#include "harness/analyze/steps.h"

namespace stepbench::analyze {

void fold_counting_names(const Steps& steps, Timeline& timeline) {
  const trace::Trace& trace = *timeline.trace;
  std::map<std::uint32_t, std::int64_t> names;  // key: folded name
  for (const trace::TraceName& name : trace.names) {
    if (name.folded != ops::kNoIndex) ++names[name.folded];
  }
  if (names.empty()) return;
  std::map<std::uint32_t, std::int64_t> rows;
  for (const trace::TraceLane& lane : trace.lanes) {
    if (lane.kind != trace::LaneKind::kHost) continue;
    for (const trace::TraceEvent& event : lane.events) {
      const std::uint32_t folded = trace.names[event.name].folded;
      if (folded != ops::kNoIndex) ++rows[folded];
    }
  }
  timeline.shown_names.resize(trace.names.size());
  std::iota(timeline.shown_names.begin(), timeline.shown_names.end(), 0U);
  for (std::uint32_t i = 0; i < trace.names.size(); ++i) {
    const std::uint32_t folded = trace.names[i].folded;
    if (folded == ops::kNoIndex) continue;
    if (2 * rows[folded] <= names[folded] * std::ssize(steps.steps)) {
      timeline.shown_names[i] = folded;
    }
  }
}

}  // namespace stepbench::analyze
