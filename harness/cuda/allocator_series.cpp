// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/allocator_series.h"

#include <algorithm>
#include <exception>

#include "harness/measure/window_samples.h"
#include "harness/workload.h"

namespace stepbench::cuda {

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
