// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/allocator.h"

#include <algorithm>
#include <exception>
#include <string>

#include "harness/base/format.h"
#include "harness/base/series.h"
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
  if (steps.size() > kShown) text += formatted(" and {} more", steps.size() - kShown);
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
                  .text = formatted("{} of cudaMalloc in {}{}: each waits for the device, and the "
                                    "steps are not in a steady state",
                                    text::counted(calls, "call"),
                                    text::counted(window.steps, "measured step"), list_of(calling)),
                  .value = static_cast<double>(calls),
                  .threshold = 0,
                  .unit = "calls",
                  .evidence = {"device_allocations_per_step", "allocator_retries"}};
  if (!calling.empty()) finding.evidence.emplace_back("step_device_allocations");
  if (retries > 0) {
    finding.text += formatted("; {} after giving cached memory back", retries);
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

AllocatorSeries::AllocatorSeries(AllocatorReader reader, std::size_t window)
    : reader_(std::move(reader)), window_(window) {}

bool AllocatorSeries::read(AllocatorCounters& counters) noexcept {
  if (!failure_.empty()) return false;
  try {
    counters = reader_.read();
    reader_.reset_peaks();
    return true;
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
  return false;
}

std::optional<std::string> AllocatorSeries::exercise() {
  rows_.reserve(window_);
  if (read(previous_)) return std::nullopt;
  return failure_;
}

void AllocatorSeries::change(Action, Action to) {
  const bool records = to >= Action::kRecord;
  if (records && !in_window_) {
    rows_.clear();
    (void)read(previous_);
  }
  in_window_ = records;
}

void AllocatorSeries::step_end() noexcept {
  AllocatorCounters now;
  if (!in_window_ || !read(now)) return;
  AllocatorCounters step = now;
  step.allocations -= previous_.allocations;
  step.device_allocations -= previous_.device_allocations;
  step.retries -= previous_.retries;
  previous_ = now;
  rows_.push_back(step);
  if (step.device_allocations > 0) calling_.push_back(index_);
}

void AllocatorSeries::add_columns(Series& cycle) {
  in_window_ = false;
  const std::size_t steps = cycle.steps();
  if (!failure_.empty() || rows_.size() != steps) return;
  const auto column = [&](const char* name, std::int64_t AllocatorCounters::*value) {
    std::vector<std::int64_t>& values = cycle.add(name, steps);
    std::transform(rows_.begin(), rows_.end(), values.begin(),
                   [&](const AllocatorCounters& row) { return row.*value; });
  };
  column("step_allocations", &AllocatorCounters::allocations);
  column("step_device_allocations", &AllocatorCounters::device_allocations);
  column("step_allocated_bytes", &AllocatorCounters::allocated_bytes);
  column("step_reserved_bytes", &AllocatorCounters::reserved_bytes);
  column("step_peak_allocated_bytes", &AllocatorCounters::peak_allocated_bytes);
  sum_.steps += static_cast<std::int64_t>(steps);
  sum_.end.peak_allocated_bytes = 0;  // last window
  sum_.end.peak_reserved_bytes = 0;
  for (const AllocatorCounters& row : rows_) {
    sum_.end.device_allocations += row.device_allocations;
    sum_.end.retries += row.retries;
    sum_.end.peak_allocated_bytes =
        std::max(sum_.end.peak_allocated_bytes, row.peak_allocated_bytes);
    sum_.end.peak_reserved_bytes = std::max(sum_.end.peak_reserved_bytes, row.peak_reserved_bytes);
  }
}

void AllocatorSeries::report(ReportSink& sink) const {
  if (!failure_.empty()) sink.note("no allocator series: " + failure_);
  if (sum_.steps == 0) return;
  // These replace the peaks that the workload reads at the window's end, which cover only the last
  // step, as each step resets them.
  sink.metric("peak_allocated_bytes", static_cast<double>(sum_.end.peak_allocated_bytes));
  sink.metric("peak_reserved_bytes", static_cast<double>(sum_.end.peak_reserved_bytes));
  if (auto finding = allocator_finding(sum_, calling_)) sink.finding(std::move(*finding));
}

}  // namespace stepbench::cuda
