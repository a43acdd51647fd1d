// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/activity_summary.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/ops/launch_calls.h"
#include "harness/workload.h"

namespace stepbench::cuda {
namespace {

using Span = std::pair<std::int64_t, std::int64_t>;

// Excludes stream waits for events, which only block the device, and queries, which never block.
bool blocks_host(const ops::DeviceActivity& wait, const ops::OpLog& log) {
  if (wait.name >= log.names.size()) return true;
  const std::string_view name = log.names[wait.name];
  return name != "Stream Wait Event" && !name.ends_with(" Query");
}

Span span_of(const ops::OpLog& log, std::int64_t& steps) {
  Span span{std::numeric_limits<std::int64_t>::max(), 0};
  const auto add = [&](std::int64_t begin, std::int64_t end) {
    span.first = std::min(span.first, begin);
    span.second = std::max(span.second, end);
  };
  for (const ops::StepMark& mark : log.marks) {
    if (mark.phase != ops::kNoIndex) continue;
    ++steps;
    add(mark.start_ns, mark.end_ns);
  }
  if (steps > 0) return span;
  steps = 1;
  for (const ops::DeviceActivity& activity : log.activities)
    add(activity.start_ns, activity.end_ns);
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

// Device work belongs to the step that launched it, however late it runs: if the device lags behind
// the host, the last steps end after their marks.
class Window {
 public:
  Window(const ops::OpLog& log, Span span) : span_(span) {
    for (const ops::DeviceActivity& each : log.activities) {
      if (ops::is_call(each)) calls_.emplace(each.correlation, each.start_ns);
    }
    for (const ops::DeviceActivity& each : log.activities) {
      if (ops::is_device_work(each) && holds(each))
        span_.second = std::max(span_.second, each.end_ns);
    }
  }

  [[nodiscard]] std::int64_t length_ns() const { return span_.second - span_.first; }

  [[nodiscard]] bool holds(const ops::DeviceActivity& activity) const {
    if (ops::is_device_work(activity)) {
      if (const auto call = calls_.find(activity.correlation); call != calls_.end()) {
        return contains(call->second);
      }
    }
    return contains(activity.start_ns);
  }

  // The part of `activity` inside the window.
  [[nodiscard]] Span part(const ops::DeviceActivity& activity) const {
    return {std::max(activity.start_ns, span_.first), std::min(activity.end_ns, span_.second)};
  }

 private:
  [[nodiscard]] bool contains(std::int64_t at_ns) const {
    return at_ns >= span_.first && at_ns <= marked_end_;
  }

  Span span_;  // from the first step's start to the last one's end, or to its device work's end
  std::int64_t marked_end_ = span_.second;
  std::unordered_map<std::uint64_t, std::int64_t> calls_;  // start by correlation
};

}  // namespace

ActivitySummary summarise_activities(const ops::OpLog& log) {
  ActivitySummary sum;
  if (log.activities.empty()) return sum;
  const Window window(log, span_of(log, sum.steps));
  sum.span_ns = window.length_ns();
  for (const ops::LaunchCall& launch : ops::launch_calls(log.activities, log.names)) {
    sum.launches += window.holds(*launch.call) ? 1 : 0;
  }
  std::vector<Span> busy;
  bool called_to_wait = false;
  bool recorded_waits = false;
  for (const ops::DeviceActivity& activity : log.activities) {
    const Span part = window.part(activity);
    if (ops::is_device_work(activity)) busy.push_back(part);
    if (!window.holds(activity)) continue;
    switch (activity.kind) {
      case ops::ActivityKind::kKernel:
        ++sum.kernels;
        break;
      case ops::ActivityKind::kMemcpy:
        ++sum.copies;
        if (activity.bytes < 0) sum.copied_bytes.reset();
        if (sum.copied_bytes) *sum.copied_bytes += activity.bytes;
        if (!activity.pinned && (activity.copy == ops::CopyKind::kHostToDevice ||
                                 activity.copy == ops::CopyKind::kDeviceToHost)) {
          ++sum.pageable_copies;
        }
        break;
      case ops::ActivityKind::kSynchronization:
        recorded_waits = true;
        if (!blocks_host(activity, log)) break;
        ++*sum.synchronisations;
        sum.synchronisation_ns += part.second - part.first;
        break;
      case ops::ActivityKind::kRuntime:
      case ops::ActivityKind::kDriver:
        called_to_wait |=
            activity.name < log.names.size() && ops::waits_for_device(log.names[activity.name]);
        break;
      case ops::ActivityKind::kMemset:
        break;
    }
  }
  // Kineto records waits only if configured to.
  if (called_to_wait && !recorded_waits) sum.synchronisations.reset();
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
  if (summary.copied_bytes) metric("copied_bytes", *summary.copied_bytes);
  metric("pageable_copies", summary.pageable_copies);
  if (!summary.synchronisations) return;
  metric("synchronisations", *summary.synchronisations);
  metric("synchronisation_ns", summary.synchronisation_ns);
}

}  // namespace stepbench::cuda
