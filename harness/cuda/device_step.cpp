// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/device_step.h"

#include <algorithm>
#include <cmath>

namespace stepbench::cuda {
namespace {

// Length of the union of work-launching spans within [0, to]. Spans are in order of begin_ns.
std::int64_t covered(const std::vector<DeviceSpan>& spans, std::int64_t to) {
  std::int64_t sum = 0;
  std::int64_t reached = 0;
  for (const DeviceSpan& span : spans) {
    if (!launches_work(span)) continue;
    const std::int64_t begin = std::max(span.begin_ns, reached);
    const std::int64_t end = std::min(span.end_ns, to);
    if (end <= begin) continue;
    sum += end - begin;
    reached = end;
  }
  return sum;
}

}  // namespace

DeviceStep device_step(std::vector<DeviceSpan>& spans, std::int64_t span_ns, std::int64_t gap_ns) {
  std::sort(spans.begin(), spans.end(),
            [](const DeviceSpan& a, const DeviceSpan& b) { return a.begin_ns < b.begin_ns; });
  DeviceStep step;
  step.span_ns = span_ns;
  step.period_ns = gap_ns + span_ns;
  step.other_ns = step.period_ns;
  for (const DeviceSpan& span : spans) {
    const auto phase = static_cast<std::size_t>(span.phase);
    DevicePhases& phases = span.side_stream ? step.side : step.compute;
    const std::int64_t ns = span.end_ns - span.begin_ns;
    phases.ns[phase] += ns;
    phases.occurred |= std::uint32_t{1} << phase;
    if (!span.side_stream) step.other_ns -= ns;
  }
  step.idle_ns = span_ns - covered(spans, span_ns);
  return step;
}

bool launches_work(const DeviceSpan& span) {
  return span.phase != PhaseId::kDataWait;  // the host waits and launches nothing
}

std::int64_t overlap_ns(const DeviceSpan& span, std::span<const DeviceSpan> compute) {
  const auto ends_before = [](const DeviceSpan& each, std::int64_t ns) {
    return each.end_ns <= ns;
  };
  auto each = std::lower_bound(compute.begin(), compute.end(), span.begin_ns, ends_before);
  std::int64_t sum = 0;
  for (; each != compute.end() && each->begin_ns < span.end_ns; ++each) {
    sum += std::min(each->end_ns, span.end_ns) - std::max(each->begin_ns, span.begin_ns);
  }
  return sum;
}

std::int64_t ns_of_ms(float ms) { return std::llround(1e6 * static_cast<double>(ms)); }

std::int64_t ClockMap::host_ns(std::int64_t device_ns) const {
  const std::int64_t device = last_.device_ns - first_.device_ns;
  const std::int64_t since = device_ns - first_.device_ns;
  if (device <= 0) return first_.host_ns + since;
  const std::int64_t drift = (last_.host_ns - first_.host_ns) - device;
  return first_.host_ns + since +
         std::llround(static_cast<double>(drift) * static_cast<double>(since) /
                      static_cast<double>(device));
}

std::int64_t ClockMap::error_ns() const { return std::max(first_.error_ns, last_.error_ns); }

}  // namespace stepbench::cuda
