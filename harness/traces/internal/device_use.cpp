// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/device_work.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "harness/traces/internal/name_facts.h"

namespace stepbench::traces {
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
    std::ranges::sort(changes_, {}, &Change::at_ns);
    double sum_ns = 0;
    double running = 0;
    std::int64_t since_ns = 0;
    for (const Change& change : changes_) {
      if (running > 0) {
        sum_ns += std::min(1.0, running) * double(change.at_ns - since_ns);
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

TimeSpan clipped(const TraceEvent& event, const TimeSpan& window) {
  return {std::max(event.start_ns, window.begin_ns), std::min(event.end_ns, window.end_ns)};
}

void add_fill(const Timeline& timeline, const TimeSpan& window, DeviceUse& use) {
  SmTime sm_time;
  double occupancy_time = 0;
  double occupancy_ns = 0;
  for (const WorkRow& row : timeline.work) {
    if (row.device != use.device || !is_kernel(row)) continue;
    const TimeSpan at = clipped(*row.event, window);
    const KernelDetail* detail = timeline.trace->kernel_detail(*row.event);
    if (at.length_ns() <= 0 || detail == nullptr) continue;
    if (detail->blocks_per_sm > 0) sm_time.add(at, detail->blocks_per_sm);
    if (detail->occupancy_percent >= 0) {
      occupancy_time += detail->occupancy_percent * double(at.length_ns());
      occupancy_ns += double(at.length_ns());
    }
  }
  if (!sm_time.empty()) {
    use.sm_efficiency = sm_time.total_ns() / double(window.length_ns());
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
    shares[i] = double(lengths[i]) / double(chunks[i].length_ns());
  }
  return shares;
}

TimeSpan steps_and_their_work(const Timeline& timeline, const Steps& steps) {
  if (steps.steps.empty()) return {};
  TimeSpan all = {steps.steps.front().window.begin_ns, steps.steps.back().window.end_ns};
  const std::int64_t until_ns = all.end_ns;
  for (const WorkRow& row : timeline.work) {
    const TraceEvent* call = timeline.call_of(row);
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

ValueOrReason<std::vector<MemoryPeak>> memory_peaks(const Trace& trace) {
  if (trace.memory.empty()) {
    return Absent{"memory was not recorded: profile with profile_memory=True"};
  }
  std::map<int, MemoryPeak> peaks;
  for (const TraceMemory& row : trace.memory) {
    if (row.total_allocated < 0) continue;
    const auto [at, is_new] = peaks.try_emplace(row.device, MemoryPeak{.device = row.device});
    MemoryPeak& peak = at->second;
    if (is_new || row.total_allocated > peak.allocated_bytes) {
      peak.allocated_bytes = row.total_allocated;
      peak.at_ns = row.at_ns;
    }
    peak.reserved_bytes = std::max(peak.reserved_bytes, row.total_reserved);
  }
  if (peaks.empty()) {
    return Absent{"memory rows have no totals, as in traces until 2021: unknown peak"};
  }
  std::vector<MemoryPeak> out;
  for (auto& [device, peak] : peaks) {
    const ops::TraceDevice* facts = trace.device(device);
    if (device >= 0 && facts != nullptr && facts->total_memory_bytes > 0) {
      peak.total_bytes = facts->total_memory_bytes;
    }
    out.push_back(peak);
  }
  return out;
}

namespace {

// Time-weighted mean of values that some rows lack. Zero-length rows count only if there are no
// others.
class TimeMean {
 public:
  void add(double value, std::int64_t duration_ns) {
    if (value < 0) return;
    ++rows_;
    sum_ += value;
    weighted_ += value * double(duration_ns);
    weight_ns_ += duration_ns;
  }
  [[nodiscard]] std::optional<double> value() const {
    if (rows_ == 0) return std::nullopt;
    return weight_ns_ > 0 ? weighted_ / double(weight_ns_) : sum_ / double(rows_);
  }

 private:
  std::int64_t rows_ = 0;
  double sum_ = 0;
  double weighted_ = 0;
  std::int64_t weight_ns_ = 0;
};

struct KernelSums {
  KernelRow row = {};
  TimeMean blocks = {};
  TimeMean occupancy = {};
};

// Kernel names identify the use of tensor cores only in NVIDIA's libraries.
bool names_reveal_tensor_cores(const Timeline& timeline) {
  const Trace& trace = *timeline.trace;
  const ops::TraceDevice* device =
      timeline.devices.empty() ? nullptr : trace.device(timeline.devices.front());
  if (device != nullptr && device->compute_major > 0) return ops::is_of_nvidia(*device);
  return std::ranges::any_of(timeline.calls, [&](const CallRow& call) {
    return timeline.name(*call.event).starts_with("cu");
  });
}

}  // namespace

ValueOrReason<Kernels> list_kernels(const Timeline& timeline, const Steps& steps) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  const Trace& trace = *timeline.trace;
  const auto otherwise = names_reveal_tensor_cores(timeline) ? std::optional(false) : std::nullopt;
  const CountedSteps counted_steps(steps);
  std::vector<std::size_t> row_of_name(trace.names.size(), kNone);
  std::vector<KernelSums> sums;
  std::vector<double> durations;
  Kernels out;
  for (const WorkRow& work : timeline.work) {
    if (!is_kernel(work)) continue;
    const TraceEvent& event = *work.event;
    const std::int64_t duration_ns = event.duration_ns();
    std::size_t& index = row_of_name[event.name];
    if (index == kNone) {
      index = sums.size();
      const std::string& name = trace.names[event.name].text;
      sums.push_back(
          {.row = {.name = event.name,
                   .min_ns = duration_ns,
                   .tensor_cores =
                       trace.names[event.name].facts.tensor_core ? std::optional(true) : otherwise,
                   .probably_tensor_cores = probably_uses_tensor_cores(name),
                   .communication = trace.names[event.name].facts.perhaps_communication
                                        ? std::nullopt
                                        : std::optional(work.communication)}});
    }
    KernelSums& sum = sums[index];
    ++sum.row.calls;
    sum.row.total_ns += duration_ns;
    sum.row.min_ns = std::min(sum.row.min_ns, duration_ns);
    sum.row.max_ns = std::max(sum.row.max_ns, duration_ns);
    const bool counted = counted_steps.at(timeline.placed_by_ns(work)).has_value();
    if (counted) {
      ++sum.row.step_calls;
      sum.row.step_ns += duration_ns;
    }
    if (const KernelDetail* detail = trace.kernel_detail(event)) {
      sum.blocks.add(detail->blocks_per_sm, duration_ns);
      sum.occupancy.add(detail->occupancy_percent, duration_ns);
    }
    durations.push_back(double(duration_ns));
    if (duration_ns < kTinyKernelNs) {
      ++out.tiny;
      if (counted) ++out.tiny_in_steps;
    }
  }
  if (sums.empty()) {
    return Absent{timeline.work.empty() ? "the trace has no device rows"
                                        : "the trace has no kernels"};
  }
  for (KernelSums& sum : sums) {
    sum.row.blocks_per_sm = sum.blocks.value();
    sum.row.occupancy_percent = sum.occupancy.value();
    out.calls += sum.row.calls;
    out.total_ns += sum.row.total_ns;
    const bool uses = sum.row.tensor_cores.value_or(false);
    if (sum.row.tensor_cores) {
      out.tensor_core_ns = out.tensor_core_ns.value_or(0) + (uses ? sum.row.total_ns : 0);
    }
    if (!uses && sum.row.probably_tensor_cores) {
      out.probably_tensor_core_ns += sum.row.total_ns;
    }
    out.rows.push_back(sum.row);
  }
  std::ranges::stable_sort(out.rows, std::greater{}, &KernelRow::total_ns);
  out.by_calls.resize(out.rows.size());
  std::iota(out.by_calls.begin(), out.by_calls.end(), std::size_t{0});
  std::ranges::stable_sort(out.by_calls, [&](std::size_t a, std::size_t b) {
    return out.rows[a].calls > out.rows[b].calls;
  });
  out.duration = summarise(std::move(durations));
  return out;
}

}  // namespace stepbench::traces
