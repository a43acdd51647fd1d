// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/tensorboard_gpu.h"

#include <algorithm>
#include <vector>

namespace stepbench::analyze {
namespace {

// Sum over time of min(1, blocks per multiprocessor of all kernels that run), in ns.
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

TensorboardGpu gpu_metrics(const Timeline& timeline, int device, const TimeSpan& window) {
  const trace::Trace& trace = *timeline.trace;
  TensorboardGpu gpu = {.device = device};
  SmTime sm_time;
  double occupancy_time = 0;
  double occupancy_ns = 0;
  double kernel_ns = 0;
  double tensor_core_ns = 0;
  for (const WorkRow& row : timeline.work) {
    if (row.device != device || !is_kernel(row)) continue;
    const trace::TraceEvent& event = *row.event;
    if (row.call != ops::kNoIndex && timeline.calls[row.call].op != nullptr) {
      kernel_ns += static_cast<double>(event.duration_ns());
      if (trace.names[event.name].facts.tensor_core) {
        tensor_core_ns += static_cast<double>(event.duration_ns());
      }
    }
    const TimeSpan at = clipped(event, window);
    const trace::KernelDetail* detail = trace.kernel_detail(event);
    if (at.length_ns() <= 0 || detail == nullptr) continue;
    if (detail->blocks_per_sm > 0) sm_time.add(at, detail->blocks_per_sm);
    if (detail->occupancy_percent >= 0) {
      occupancy_time += detail->occupancy_percent * static_cast<double>(at.length_ns());
      occupancy_ns += static_cast<double>(at.length_ns());
    }
  }
  const auto window_ns = static_cast<double>(window.length_ns());
  gpu.utilization =
      static_cast<double>(timeline.busy(device, is_kernel).length_in(window)) / window_ns;
  if (!sm_time.empty()) gpu.sm_efficiency = sm_time.total_ns() / window_ns;
  if (occupancy_ns > 0) gpu.occupancy_percent = occupancy_time / occupancy_ns;
  if (kernel_ns > 0) gpu.tensor_core_share = tensor_core_ns / kernel_ns;
  return gpu;
}

}  // namespace

void add_gpu_metrics(const Timeline& timeline, Tensorboard& result) {
  if (result.steps.empty() || timeline.devices.empty()) return;
  const TimeSpan window = {result.steps.front().window.begin_ns, result.steps.back().window.end_ns};
  if (window.length_ns() <= 0) return;
  constexpr std::size_t kMaxDevices = 64;  // as the plug-in
  for (std::size_t i = 0; i < std::min(kMaxDevices, timeline.devices.size()); ++i) {
    result.gpus.push_back(gpu_metrics(timeline, timeline.devices[i], window));
  }
}

}  // namespace stepbench::analyze
