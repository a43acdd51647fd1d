// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/device_step.h"

#include <algorithm>
#include <cmath>

namespace stepbench {
namespace {

// Nothing is launched while the host waits for data.
bool launches_work(const DeviceSpan& span) { return span.phase != PhaseId::kDataWait; }

// Length of the union of the spans that `wanted` picks, inside [from, to]. Spans are in order of
// begin_ns.
template <typename Wanted>
std::int64_t covered(const std::vector<DeviceSpan>& spans, std::int64_t from, std::int64_t to,
                     const Wanted& wanted) {
  std::int64_t sum = 0;
  std::int64_t reached = from;
  for (const DeviceSpan& span : spans) {
    if (!wanted(span)) continue;
    const std::int64_t begin = std::max(span.begin_ns, reached);
    const std::int64_t end = std::min(span.end_ns, to);
    if (end <= begin) continue;
    sum += end - begin;
    reached = end;
  }
  return sum;
}

}  // namespace

DeviceStep device_step(std::vector<DeviceSpan>& spans, std::int64_t span_ns) {
  std::sort(spans.begin(), spans.end(),
            [](const DeviceSpan& a, const DeviceSpan& b) { return a.begin_ns < b.begin_ns; });
  DeviceStep step;
  step.span_ns = span_ns;
  for (const DeviceSpan& span : spans) {
    const auto phase = static_cast<std::size_t>(span.phase);
    step.phase_ns[phase] += span.end_ns - span.begin_ns;
    step.occurred |= std::uint32_t{1} << phase;
    if (!span.side_stream) continue;
    step.side_streams = true;
    step.overlap_ns += covered(spans, span.begin_ns, span.end_ns, [](const DeviceSpan& other) {
      return !other.side_stream && launches_work(other);
    });
  }
  step.idle_ns = span_ns - covered(spans, 0, span_ns, launches_work);
  return step;
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

}  // namespace stepbench
