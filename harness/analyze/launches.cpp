// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/launches.h"

#include <algorithm>

namespace stepbench::analyze {
namespace {

constexpr std::size_t kMaxWorst = 8;

std::string no_launches(const Timeline& timeline) {
  if (timeline.work.empty()) return "the trace has no device rows";
  return timeline.calls.empty() ? "the trace has no calls of the runtime or the driver"
                                : "no device row has a launch call";
}

void keep_worst(std::vector<DelayedLaunch>& worst) {
  const auto graver = [](const DelayedLaunch& a, const DelayedLaunch& b) {
    return a.idle_ns > b.idle_ns;
  };
  std::stable_sort(worst.begin(), worst.end(), graver);
  if (worst.size() > kMaxWorst) worst.resize(kMaxWorst);
}

}  // namespace

std::vector<std::size_t> rows_before_last_step(const Timeline& timeline, const Steps& steps) {
  const bool marked = steps.window == WindowKind::kHostStep && steps.steps.size() >= 2;
  const std::int64_t until_ns = marked ? steps.steps.back().mark.begin_ns : 0;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < timeline.work.size(); ++i) {
    const trace::TraceEvent* call = timeline.call_of(timeline.work[i]);
    if (!marked || (call != nullptr && call->start_ns < until_ns)) rows.push_back(i);
  }
  return rows;
}

ValueOrReason<Launches> launch_statistics(const Timeline& timeline, const Steps& steps) {
  Launches out;
  std::vector<double> delays;
  std::vector<double> durations;
  std::vector<bool> seen(timeline.calls.size());
  // End of each device's work so far; rows are sorted by start.
  std::vector<std::int64_t> busy_until_ns(timeline.devices.size());
  std::vector<bool> has_worked(timeline.devices.size());
  std::vector<bool> counts(timeline.work.size());
  for (const std::size_t index : rows_before_last_step(timeline, steps)) counts[index] = true;
  for (std::size_t index = 0; index < timeline.work.size(); ++index) {
    const WorkRow& row = timeline.work[index];
    const trace::TraceEvent& work = *row.event;
    const auto device = static_cast<std::size_t>(
        std::lower_bound(timeline.devices.begin(), timeline.devices.end(), row.device) -
        timeline.devices.begin());
    // All rows keep the device busy, including those without a recorded call.
    if (counts[index] && row.call != ops::kNoIndex) {
      const CallRow& call_row = timeline.calls[row.call];
      const trace::TraceEvent& call = *call_row.event;
      const std::int64_t call_ns = call.duration_ns();
      if (!seen[row.call]) {
        seen[row.call] = true;
        ++out.calls;
        durations.push_back(static_cast<double>(call_ns));
        if (call_ns > Launches::kLongCallNs) ++out.long_calls;
      }
      ++out.rows;
      const std::int64_t delay_ns = std::max<std::int64_t>(0, work.start_ns - call.end_ns);
      delays.push_back(static_cast<double>(delay_ns));
      if (work.duration_ns() < call_ns && call_ns <= Launches::kLongCallNs) ++out.short_kernels;
      std::int64_t idle_from_ns = call.end_ns;
      if (has_worked[device]) idle_from_ns = std::max(idle_from_ns, busy_until_ns[device]);
      const std::int64_t idle_ns = std::max<std::int64_t>(0, work.start_ns - idle_from_ns);
      out.idle_delay_ns += idle_ns;
      if (delay_ns > Launches::kLongDelayNs) {
        ++out.long_delays;
        if (idle_ns > 0) {
          out.worst.push_back({.call = span_of(call),
                               .work = span_of(work),
                               .name = work.name,
                               .op = call_row.op == nullptr ? ops::kNoIndex : call_row.op->name,
                               .delay_ns = delay_ns,
                               .idle_ns = idle_ns});
          if (out.worst.size() > 64 * kMaxWorst) keep_worst(out.worst);
        }
      }
    }
    busy_until_ns[device] =
        has_worked[device] ? std::max(busy_until_ns[device], work.end_ns) : work.end_ns;
    has_worked[device] = true;
  }
  if (out.rows == 0) return ValueOrReason<Launches>::absent(no_launches(timeline));
  keep_worst(out.worst);
  out.call = summarise(std::move(durations));
  out.delay = summarise(std::move(delays));
  return out;
}

}  // namespace stepbench::analyze
