// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/tracelens.h"

#include <algorithm>
#include <utility>

namespace stepbench::analyze {
namespace {

// Rows of no length reach as far as others.
TimeSpan window_of(const Timeline& timeline, int device) {
  std::optional<TimeSpan> window;
  for (const WorkRow& row : timeline.work) {
    if (row.device != device) continue;
    if (!window) window = span_of(*row.event);
    window->end_ns = std::max(window->end_ns, row.event->end_ns);
  }
  return window.value_or(TimeSpan{});
}

std::vector<double> shares_over_time(const IntervalSet& busy, const TimeSpan& window) {
  constexpr std::int64_t kChunks = DeviceTimeline::kChunks;
  const std::int64_t whole = window.length_ns() / kChunks;
  if (whole == 0) return {};
  const std::int64_t rest = window.length_ns() % kChunks;
  std::vector<TimeSpan> chunks;
  std::int64_t begin_ns = window.begin_ns;
  for (std::int64_t i = 0; i < kChunks; ++i) {
    chunks.push_back({begin_ns, begin_ns + whole + (i < rest ? 1 : 0)});
    begin_ns = chunks.back().end_ns;
  }
  const std::vector<std::int64_t> lengths = busy.lengths_in(chunks);
  std::vector<double> shares(lengths.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = static_cast<double>(lengths[i]) / static_cast<double>(chunks[i].length_ns());
  }
  return shares;
}

}  // namespace

ValueOrReason<std::vector<DeviceTimeline>> device_timelines(const Timeline& timeline) {
  using Timelines = ValueOrReason<std::vector<DeviceTimeline>>;
  if (timeline.devices.empty()) return Timelines::absent("the trace has no device rows");
  std::vector<DeviceTimeline> out;
  constexpr std::size_t kMaxDevices = 64;
  for (std::size_t i = 0; i < std::min(kMaxDevices, timeline.devices.size()); ++i) {
    const int device = timeline.devices[i];
    const IntervalSet computation = timeline.busy(device, [](const WorkRow& row) {
      return (is_kernel(row) && !row.communication) || is_set(row);
    });
    const IntervalSet communication =
        timeline.busy(device, [](const WorkRow& row) { return row.communication; });
    const IntervalSet copies = timeline.busy(device, is_copy);
    const IntervalSet working = computation | communication;
    const IntervalSet busy = working | copies;
    DeviceTimeline row = {.device = device};
    row.window = window_of(timeline, device);
    row.computation_ns = computation.length_ns();
    row.communication_ns = communication.length_ns();
    row.copies_ns = copies.length_ns();
    row.exposed_communication_ns = (communication - computation).length_ns();
    row.exposed_copies_ns = (copies - working).length_ns();
    row.busy_ns = busy.length_ns();
    row.idle_ns = row.window.length_ns() - row.busy_ns;
    row.busy_over_time = shares_over_time(busy, row.window);
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace stepbench::analyze
