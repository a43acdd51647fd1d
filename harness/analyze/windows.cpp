// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/windows.h"

#include <algorithm>
#include <utility>

#include "harness/analyze/holistic.h"

namespace stepbench::analyze {
namespace {

Steps one_step_of(const Steps& host, WindowKind window, TimeSpan span, std::int64_t device_rows) {
  return {.window = window,
          .steps = {{.mark = span, .window = span, .device_rows = device_rows}},
          .lane = host.lane,
          .reason = "all of the window counts as one step"};
}

std::optional<Steps> plugin_steps(const Steps& host,
                                  const ValueOrReason<Tensorboard>& tensorboard) {
  if (!tensorboard) return std::nullopt;
  Steps out = host;
  out.window = WindowKind::kTensorboardStep;
  out.steps.clear();
  for (const TensorboardStep& step : tensorboard->steps) {
    const auto same = std::find_if(host.steps.begin(), host.steps.end(),
                                   [&](const Step& each) { return each.number == step.number; });
    if (same == host.steps.end() || step.window.length_ns() <= 0) continue;
    Step moved = *same;
    moved.window = step.window;
    moved.edge = false;
    moved.truncated = false;
    out.steps.push_back(moved);
  }
  return out;
}

std::optional<Steps> span_of_devices(const Timeline& timeline, const Steps& host,
                                     const ValueOrReason<std::vector<DeviceTimeline>>& spans) {
  if (!spans || spans->empty()) return std::nullopt;
  TimeSpan whole = spans->front().window;
  for (const DeviceTimeline& each : *spans) {
    whole.begin_ns = std::min(whole.begin_ns, each.window.begin_ns);
    whole.end_ns = std::max(whole.end_ns, each.window.end_ns);
  }
  if (whole.length_ns() <= 0) return std::nullopt;
  return one_step_of(host, WindowKind::kDeviceSpan, whole, std::ssize(timeline.work));
}

std::optional<Steps> holistic_span(const Timeline& timeline, const Steps& host) {
  const std::vector<std::size_t> rows = holistic_rows(timeline, host);
  if (rows.empty()) return std::nullopt;
  TimeSpan whole = span_of(*timeline.work[rows.front()].event);
  for (const std::size_t row : rows) {
    whole.end_ns = std::max(whole.end_ns, timeline.work[row].event->end_ns);
  }
  if (whole.length_ns() <= 0) return std::nullopt;
  return one_step_of(host, WindowKind::kHolistic, whole, std::ssize(rows));
}

}  // namespace

std::optional<Steps> steps_in_window(WindowKind wanted, const Timeline& timeline, const Steps& host,
                                     const ValueOrReason<Tensorboard>& tensorboard,
                                     const ValueOrReason<std::vector<DeviceTimeline>>& spans) {
  switch (wanted) {
    case WindowKind::kTensorboardStep:
      return plugin_steps(host, tensorboard);
    case WindowKind::kDeviceSpan:
      return span_of_devices(timeline, host, spans);
    case WindowKind::kHolistic:
      return holistic_span(timeline, host);
    default:
      return std::nullopt;
  }
}

}  // namespace stepbench::analyze
