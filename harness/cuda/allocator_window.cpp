// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/allocator_window.h"

#include <algorithm>
#include <string>

#include "harness/text/words.h"
#include "harness/workload.h"

namespace stepbench::cuda {
namespace {

double per_step(std::int64_t count, std::int64_t steps) {
  return static_cast<double>(count) / static_cast<double>(std::max<std::int64_t>(steps, 1));
}

// " (step 12, 13, 15 and 4 more)"
std::string list_of(std::span<const std::int64_t> steps) {
  constexpr std::size_t kShown = 8;
  if (steps.empty()) return {};
  std::string text = " (step ";
  for (std::size_t i = 0; i < std::min(steps.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(steps[i]);
  }
  if (steps.size() > kShown) text += " and " + std::to_string(steps.size() - kShown) + " more";
  return text + ")";
}

}  // namespace

void report(const AllocatorWindow& window, ReportSink& sink) {
  const auto& [begin, end, steps] = window;
  sink.metric("allocations_per_step", per_step(end.allocations - begin.allocations, steps));
  sink.metric("device_allocations_per_step",
              per_step(end.device_allocations - begin.device_allocations, steps));
  sink.metric("allocator_retries", static_cast<double>(end.retries - begin.retries));
  sink.metric("reserved_bytes", static_cast<double>(end.reserved_bytes));
  sink.metric("peak_allocated_bytes", static_cast<double>(end.peak_allocated_bytes));
  sink.metric("peak_reserved_bytes", static_cast<double>(end.peak_reserved_bytes));
  if (auto finding = allocator_finding(window)) sink.finding(std::move(*finding));
}

std::optional<Finding> allocator_finding(const AllocatorWindow& window,
                                         std::span<const std::int64_t> calling) {
  const std::int64_t calls = window.end.device_allocations - window.begin.device_allocations;
  const std::int64_t retries = window.end.retries - window.begin.retries;
  if (calls <= 0 && retries <= 0) return std::nullopt;
  Finding finding{.id = "allocator.device_allocations",
                  .severity = Severity::kWarning,
                  .text = text::counted(calls, "call") + " of cudaMalloc in " +
                          text::counted(window.steps, "measured step") + list_of(calling) +
                          ": each waits for the device, and the steps are not in a steady state",
                  .value = static_cast<double>(calls),
                  .threshold = 0,
                  .unit = "calls",
                  .evidence = {"device_allocations_per_step", "allocator_retries"}};
  if (!calling.empty()) finding.evidence.emplace_back("step_device_allocations");
  if (retries > 0) {
    finding.text += "; " + std::to_string(retries) + " after giving cached memory back";
    finding.remedy =
        "The device's memory is nearly full: a smaller loader.batch_size, or "
        "env.PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.";
    return finding;
  }
  finding.remedy =
      "Warm up longer; where sizes differ from step to step, "
      "env.PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.";
  return finding;
}

}  // namespace stepbench::cuda
