// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/kernels.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "harness/analyze/row_names.h"

namespace stepbench::analyze {
namespace {

// Time-weighted mean of values that some rows lack. Zero-length rows count only if there are no
// others.
class TimeMean {
 public:
  void add(double value, std::int64_t duration_ns) {
    if (value < 0) return;
    ++rows_;
    sum_ += value;
    weighted_ += value * static_cast<double>(duration_ns);
    weight_ns_ += duration_ns;
  }
  [[nodiscard]] std::optional<double> value() const {
    if (rows_ == 0) return std::nullopt;
    return weight_ns_ > 0 ? weighted_ / static_cast<double>(weight_ns_)
                          : sum_ / static_cast<double>(rows_);
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
  const trace::Trace& trace = *timeline.trace;
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
  const trace::Trace& trace = *timeline.trace;
  const auto otherwise = names_reveal_tensor_cores(timeline) ? std::optional(false) : std::nullopt;
  const CountedSteps counted_steps(steps);
  std::vector<std::size_t> row_of_name(trace.names.size(), kNone);
  std::vector<KernelSums> sums;
  std::vector<double> durations;
  Kernels out;
  for (const WorkRow& work : timeline.work) {
    if (!is_kernel(work)) continue;
    const trace::TraceEvent& event = *work.event;
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
    if (const trace::KernelDetail* detail = trace.kernel_detail(event)) {
      sum.blocks.add(detail->blocks_per_sm, duration_ns);
      sum.occupancy.add(detail->occupancy_percent, duration_ns);
    }
    durations.push_back(static_cast<double>(duration_ns));
    if (duration_ns < kTinyKernelNs) {
      ++out.tiny;
      out.tiny_ns += duration_ns;
      if (counted) ++out.tiny_in_steps;
    }
  }
  if (sums.empty()) {
    return ValueOrReason<Kernels>::absent(timeline.work.empty() ? "the trace has no device rows"
                                                                : "the trace has no kernels");
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
  std::stable_sort(out.rows.begin(), out.rows.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.total_ns > b.total_ns; });
  out.by_calls.resize(out.rows.size());
  std::iota(out.by_calls.begin(), out.by_calls.end(), std::size_t{0});
  std::stable_sort(out.by_calls.begin(), out.by_calls.end(), [&](std::size_t a, std::size_t b) {
    return out.rows[a].calls > out.rows[b].calls;
  });
  out.duration = summarise(std::move(durations));
  return out;
}

}  // namespace stepbench::analyze
