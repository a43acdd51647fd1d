// SPDX-License-Identifier: Apache-2.0
// Rules about the device: exposed communication, utilization, gaps, occupancy, tensor cores, memory
// near its limit.
#include <algorithm>
#include <array>
#include <utility>

#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/traces/rules.h"

namespace stepbench::traces {
namespace {

// Below this share of kernel time, it does not matter how well kernels fill the device.
constexpr double kMinKernelShare = 0.5;

std::string_view describe(IdleCause cause) {
  constexpr std::array<std::string_view, kIdleCauses> kWords = {
      "loading data", "synchronising",         "calls that copy", "calls that launch",
      "backward",     "operators on the host", "other threads",   "unexplained time"};
  return kWords[std::size_t(cause)];
}

double kernel_ns(const RuleInput& in) {
  return double(in.idle.counted.compute_ns + in.idle.counted.communication_ns);
}

const DeviceUse* use_of_device(const RuleInput& in) {
  for (const DeviceUse& use : in.analysis.device_use) {
    if (!in.options.device || use.device == *in.options.device) return &use;
  }
  return nullptr;
}

// "; 14 of 30 equal parts of the trace are below it": shows whether the device is idle throughout
// or only at times. Empty if the trace is too short.
std::string low_parts_text(const RuleInput& in) {
  const DeviceUse* use = use_of_device(in);
  if (use == nullptr || use->busy_over_time.empty()) return {};
  const std::vector<double>& parts = use->busy_over_time;
  const auto low = std::ranges::count_if(parts, [&](double share) { return share < in.threshold; });
  if (low == 0) return {};
  std::string text = formatted(
      "; of {} equal parts of the time between the first and the last row of ", parts.size());
  text += in.analysis.device_use.size() > 1 ? formatted("device {}", use->device) : "the device";
  if (low == std::ssize(parts)) return text + ", all are below that";
  return formatted("{}, {}{} below that", text, low, low == 1 ? " is" : " are");
}

}  // namespace

RuleResult communication_exposed(const RuleInput& in) {
  const auto exposed_ns = double(in.idle.counted.communication_ns);
  Finding finding = in.of_share(
      exposed_ns, formatted("communication without overlapping compute, {} of the step ({})",
                            text::percent_text(in.share(exposed_ns)), in.each_step(exposed_ns)));
  finding.remedy =
      "Overlap it with the backward pass (buckets of DistributedDataParallel), send less often "
      "(gradient accumulation) or less (bf16 gradients).";
  return finding;
}

RuleResult low_utilization(const RuleInput& in) {
  const double busy = in.share(kernel_ns(in));
  std::size_t below = 0;
  std::size_t all = 0;
  for (const std::size_t i : in.analysis.steps.counted()) {
    const StepTime& step = in.idle.steps[i];
    ++all;
    if (double(step.compute_ns + step.communication_ns) < in.threshold * double(step.wall_ns)) {
      ++below;
    }
  }
  IdleCause largest = IdleCause::kDataLoading;
  for (std::size_t i = 0; i < kIdleCauses; ++i) {
    if (in.idle_ns(static_cast<IdleCause>(i)) > in.idle_ns(largest)) {
      largest = static_cast<IdleCause>(i);
    }
  }
  const bool copies = double(in.idle.counted.copy_ns) > in.idle_ns(largest);
  return in.of_value(
      busy, Severity::kWarning,
      formatted(
          "kernels run {} of the time, and less than {} in {} of {} steps; the largest cause: {}{}",
          text::percent_text(busy), text::percent_text(in.threshold), below, all,
          copies ? "copies that nothing hides" : describe(largest), low_parts_text(in)));
}

RuleResult gpu_gaps(const RuleInput& in) {
  const auto longest_ns = double(in.idle.longest_idle.length_ns());
  Finding finding = in.of_value(
      longest_ns, Severity::kWarning,
      formatted("the device did nothing for {} without a break", text::duration(longest_ns)));
  in.add_row(finding, "idle device", in.idle.longest_idle, in.idle.longest_idle_step);
  return finding;
}

RuleResult low_occupancy(const RuleInput& in) {
  const DeviceUse* use = use_of_device(in);
  if (use == nullptr || !use->occupancy_percent) {
    return in.undecided("the kernels of this trace have no occupancy");
  }
  if (in.share(kernel_ns(in)) < kMinKernelShare) return std::nullopt;
  Finding finding =
      in.of_value(*use->occupancy_percent, Severity::kInfo,
                  formatted("the kernels keep {} % of the warps resident, by time{}",
                            text::short_number(*use->occupancy_percent, 1),
                            use->sm_efficiency ? formatted(", and fill {} of the multiprocessors",
                                                           text::percent_text(*use->sm_efficiency))
                                               : std::string()));
  finding.low_confidence = true;
  finding.remedy =
      "Larger batches or fused operations give a kernel more blocks. Matrix products on tensor "
      "cores "
      "are fast at low occupancy: look at single kernels first.";
  return finding;
}

RuleResult tensor_cores_unused(const RuleInput& in) {
  constexpr int kFirstWithTensorCores = 7;
  const ops::TraceDevice* device =
      in.analysis.devices.empty()
          ? nullptr
          : in.trace.device(in.options.device.value_or(in.analysis.devices[0]));
  if (device == nullptr || (device->name.empty() && device->compute_major == 0)) {
    return in.undecided("the trace does not name its device");
  }
  if (!ops::is_of_nvidia(*device)) {
    return in.undecided(formatted(
        "whether {} has tensor cores, and which kernels use them, is not known", device->name));
  }
  if (device->compute_major < kFirstWithTensorCores || !in.analysis.kernels ||
      !in.analysis.eligible_share) {
    return std::nullopt;
  }
  const double eligible = *in.analysis.eligible_share;
  const Kernels& kernels = *in.analysis.kernels;
  if (kernels.tensor_core_ns.value_or(0) > 0) return std::nullopt;
  const bool perhaps = kernels.probably_tensor_core_ns > 0;
  Finding finding =
      in.of_value(eligible, perhaps ? Severity::kInfo : Severity::kWarning,
                  formatted("no kernel is known to use tensor cores, although operations that "
                            "could use them launch {} of the kernel time{}",
                            text::percent_text(eligible),
                            perhaps ? "; some kernels of newer libraries probably do" : ""));
  finding.low_confidence = perhaps;
  finding.remedy =
      "torch.autocast(dtype=torch.bfloat16), or torch.set_float32_matmul_precision(\"high\") for "
      "TF32.";
  if (in.is_set_to("model.precision", std::string("fp32"))) {
    in.propose(finding, "model.precision", "bf16");
  }
  return finding;
}

RuleResult memory_near_limit(const RuleInput& in) {
  if (!in.analysis.memory) return std::nullopt;
  for (const MemoryPeak& peak : *in.analysis.memory) {
    if (peak.device < 0 || !peak.total_bytes || *peak.total_bytes <= 0) continue;
    const double used = double(peak.allocated_bytes) / double(*peak.total_bytes);
    if (used < in.threshold) continue;
    Finding finding =
        in.of_value(used, Severity::kWarning,
                    formatted("device {} held {} of its {}: one larger batch fails, and the "
                              "allocator may have to free and retry",
                              peak.device, text::byte_text(double(peak.allocated_bytes)),
                              text::byte_text(double(*peak.total_bytes))));
    finding.remedy = "Activation checkpointing, a smaller batch or a smaller precision.";
    return finding;
  }
  return std::nullopt;
}

}  // namespace stepbench::traces
