// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/activity_summary.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "harness/workload.h"

namespace stepbench {
namespace {

using Span = std::pair<std::int64_t, std::int64_t>;

bool on_device(const DeviceActivity& activity) {
  return activity.kind == ActivityKind::kKernel || activity.kind == ActivityKind::kMemcpy ||
         activity.kind == ActivityKind::kMemset;
}

Span span_of(const OpLog& log, std::int64_t& steps) {
  Span span{std::numeric_limits<std::int64_t>::max(), 0};
  const auto add = [&](std::int64_t begin, std::int64_t end) {
    span.first = std::min(span.first, begin);
    span.second = std::max(span.second, end);
  };
  for (const StepMark& mark : log.marks) {
    if (mark.phase != kNoIndex) continue;
    ++steps;
    add(mark.start_ns, mark.end_ns);
  }
  if (steps > 0) return span;
  steps = 1;
  for (const DeviceActivity& activity : log.activities) add(activity.start_ns, activity.end_ns);
  return span;
}

std::int64_t union_of(std::vector<Span>& spans) {
  std::sort(spans.begin(), spans.end());
  std::int64_t sum = 0;
  std::int64_t reached = std::numeric_limits<std::int64_t>::min();
  for (const auto& [begin, end] : spans) {
    const std::int64_t from = std::max(begin, reached);
    if (end <= from) continue;
    sum += end - from;
    reached = end;
  }
  return sum;
}

bool starts_work(const std::string& call) {
  return call.starts_with("cudaLaunchKernel") || call.starts_with("cudaLaunchCooperativeKernel") ||
         call.starts_with("cudaGraphLaunch");
}

}  // namespace

ActivitySummary summarise_activities(const OpLog& log) {
  ActivitySummary sum;
  if (log.activities.empty()) return sum;
  const Span window = span_of(log, sum.steps);
  sum.span_ns = window.second - window.first;
  std::vector<Span> busy;
  for (const DeviceActivity& activity : log.activities) {
    const Span span{std::max(activity.start_ns, window.first),
                    std::min(activity.end_ns, window.second)};
    if (activity.end_ns < window.first || activity.start_ns > window.second) continue;
    const std::string name = activity.name < log.names.size() ? log.names[activity.name] : "";
    if (on_device(activity)) busy.push_back(span);
    switch (activity.kind) {
      case ActivityKind::kKernel:
        ++sum.kernels;
        break;
      case ActivityKind::kMemcpy:
        ++sum.copies;
        sum.copied_bytes += activity.bytes;
        if (!activity.pinned && (activity.copy == CopyKind::kHostToDevice ||
                                 activity.copy == CopyKind::kDeviceToHost)) {
          ++sum.pageable_copies;
        }
        break;
      case ActivityKind::kRuntime:
        if (starts_work(name)) ++sum.launches;
        break;
      case ActivityKind::kSynchronization:
        if (name == "Stream Wait Event") break;  // the device waits, not the host
        if (name.ends_with(" Query")) break;     // nobody waits
        ++sum.synchronisations;
        sum.synchronisation_ns += span.second - span.first;
        break;
      case ActivityKind::kMemset:
      case ActivityKind::kDriver:
        break;
    }
  }
  sum.busy_ns = union_of(busy);
  return sum;
}

void report(const ActivitySummary& summary, ReportSink& sink) {
  if (summary.steps == 0) return;
  const auto metric = [&](const char* name, std::int64_t value) {
    sink.metric(name, static_cast<double>(value) / static_cast<double>(summary.steps));
  };
  metric("device_busy_ns", summary.busy_ns);
  metric("device_idle_ns", summary.span_ns - summary.busy_ns);
  metric("kernels", summary.kernels);
  metric("launches", summary.launches);
  metric("copies", summary.copies);
  metric("copied_bytes", summary.copied_bytes);
  metric("pageable_copies", summary.pageable_copies);
  metric("synchronisations", summary.synchronisations);
  metric("synchronisation_ns", summary.synchronisation_ns);
}

}  // namespace stepbench
