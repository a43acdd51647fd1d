// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/device_use.h"

#include <algorithm>
#include <utility>

namespace stepbench::analyze {
namespace {

// Integral over time of min(1, blocks per multiprocessor of all running kernels), in ns.
class SmTime {
 public:
  void add(TimeSpan at, double blocks_per_sm) {
    changes_.push_back({at.begin_ns, blocks_per_sm});
    changes_.push_back({at.end_ns, -blocks_per_sm});
  }
  [[nodiscard]] bool empty() const { return changes_.empty(); }
  [[nodiscard]] double total_ns() {
    std::sort(changes_.begin(), changes_.end(),
              [](const Change& a, const Change& b) { return a.at_ns < b.at_ns; });
    double sum_ns = 0;
    double running = 0;
    std::int64_t since_ns = 0;
    for (const Change& change : changes_) {
      if (running > 0) {
        sum_ns += std::min(1.0, running) * static_cast<double>(change.at_ns - since_ns);
      }
      running += change.blocks;
      since_ns = change.at_ns;
    }
    return sum_ns;
  }

 private:
  struct Change {
    std::int64_t at_ns = 0;
    double blocks = 0;
  };
  std::vector<Change> changes_;
};

TimeSpan clipped(const trace::TraceEvent& event, const TimeSpan& window) {
  return {std::max(event.start_ns, window.begin_ns), std::min(event.end_ns, window.end_ns)};
}

void add_fill(const Timeline& timeline, const TimeSpan& window, DeviceUse& use) {
  SmTime sm_time;
  double occupancy_time = 0;
  double occupancy_ns = 0;
  for (const WorkRow& row : timeline.work) {
    if (row.device != use.device || !is_kernel(row)) continue;
    const TimeSpan at = clipped(*row.event, window);
    const trace::KernelDetail* detail = timeline.trace->kernel_detail(*row.event);
    if (at.length_ns() <= 0 || detail == nullptr) continue;
    if (detail->blocks_per_sm > 0) sm_time.add(at, detail->blocks_per_sm);
    if (detail->occupancy_percent >= 0) {
      occupancy_time += detail->occupancy_percent * static_cast<double>(at.length_ns());
      occupancy_ns += static_cast<double>(at.length_ns());
    }
  }
  if (!sm_time.empty()) {
    use.sm_efficiency = sm_time.total_ns() / static_cast<double>(window.length_ns());
  }
  if (occupancy_ns > 0) use.occupancy_percent = occupancy_time / occupancy_ns;
}

// Zero-length rows extend the span, too.
TimeSpan span_of_rows(const Timeline& timeline, int device) {
  std::optional<TimeSpan> span;
  for (const WorkRow& row : timeline.work) {
    if (row.device != device) continue;
    if (!span) span = span_of(*row.event);
    span->end_ns = std::max(span->end_ns, row.event->end_ns);
  }
  return span.value_or(TimeSpan{});
}

std::vector<double> shares_over_time(const IntervalSet& busy, const TimeSpan& span) {
  constexpr std::int64_t kChunks = DeviceUse::kChunks;
  const std::int64_t whole = span.length_ns() / kChunks;
  if (whole == 0) return {};
  const std::int64_t rest = span.length_ns() % kChunks;
  std::vector<TimeSpan> chunks;
  std::int64_t begin_ns = span.begin_ns;
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

TimeSpan steps_and_their_work(const Timeline& timeline, const Steps& steps) {
  if (steps.steps.empty()) return {};
  TimeSpan all = {steps.steps.front().window.begin_ns, steps.steps.back().window.end_ns};
  const std::int64_t until_ns = all.end_ns;
  for (const WorkRow& row : timeline.work) {
    const trace::TraceEvent* call = timeline.call_of(row);
    if (call == nullptr || call->start_ns < all.begin_ns || call->start_ns >= until_ns) continue;
    all.end_ns = std::max(all.end_ns, row.event->end_ns);
  }
  return all;
}

}  // namespace

std::vector<DeviceUse> find_device_use(const Timeline& timeline, const Steps& steps) {
  const TimeSpan window = steps_and_their_work(timeline, steps);
  constexpr std::size_t kMaxDevices = 64;
  std::vector<DeviceUse> out(std::min(kMaxDevices, timeline.devices.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].device = timeline.devices[i];
    if (window.length_ns() > 0) add_fill(timeline, window, out[i]);
    const IntervalSet busy = timeline.busy(out[i].device, [](const WorkRow&) { return true; });
    out[i].busy_over_time = shares_over_time(busy, span_of_rows(timeline, out[i].device));
  }
  return out;
}

}  // namespace stepbench::analyze
