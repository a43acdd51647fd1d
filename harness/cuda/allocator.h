// SPDX-License-Identifier: Apache-2.0
// Activity of a caching device allocator: in one measured window, from its counters at the borders,
// and in each step of a profiled launch, from its counters at the end of every step. Main thread
// only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/findings/finding.h"
#include "harness/measure/instrument.h"

namespace stepbench {

class ReportSink;

}  // namespace stepbench

namespace stepbench::cuda {

struct AllocatorCounters {
  std::int64_t allocations = 0;         // requests of tensors, cumulative
  std::int64_t device_allocations = 0;  // driver calls (cudaMalloc), cumulative
  std::int64_t retries = 0;          // allocations repeated after freeing cached memory, cumulative
  std::int64_t allocated_bytes = 0;  // currently held by tensors
  std::int64_t reserved_bytes = 0;   // currently reserved from the driver
  std::int64_t peak_allocated_bytes = 0;
  std::int64_t peak_reserved_bytes = 0;
};

struct AllocatorWindow {
  AllocatorCounters begin = {};
  AllocatorCounters end = {};
  std::int64_t steps = 0;
};

// Reports allocations_per_step, device_allocations_per_step, allocator_retries, reserved_bytes,
// peak_allocated_bytes, peak_reserved_bytes.
void report(const AllocatorWindow& window, ReportSink& sink);

// Returns a finding if steps still allocate from the driver, or free cached memory and retry.
// `calling`: the steps that did, if known.
[[nodiscard]] std::optional<Finding> allocator_finding(const AllocatorWindow& window,
                                                       std::span<const std::int64_t> calling = {});

// Both may throw.
struct AllocatorReader {
  std::function<AllocatorCounters()> read = {};
  std::function<void()> reset_peaks = {};
};

// Adds the columns step_allocations, step_device_allocations, step_allocated_bytes,
// step_reserved_bytes and step_peak_allocated_bytes. Its finding names the steps that called the
// driver.
class AllocatorSeries final : public Instrument {
 public:
  AllocatorSeries(AllocatorReader reader, std::size_t window);

  [[nodiscard]] std::string_view name() const override { return "allocator series"; }
  [[nodiscard]] std::optional<std::string> exercise() override;
  void change(Action from, Action to) override;
  void step_begin(std::int64_t index) override { index_ = index; }
  void step_end() noexcept override;
  void phase_begin(PhaseId, DeviceStream) override {}
  void phase_end(PhaseId, DeviceStream) noexcept override {}
  void add_columns(Series& cycle) override;
  void report(ReportSink& sink) const override;

 private:
  [[nodiscard]] bool read(AllocatorCounters& counters) noexcept;  // and resets peaks

  AllocatorReader reader_;
  std::size_t window_;
  bool in_window_ = false;
  std::int64_t index_ = 0;
  AllocatorCounters previous_;
  std::vector<AllocatorCounters> rows_;  // counts per step; current window
  AllocatorWindow sum_;                  // all windows
  std::vector<std::int64_t> calling_;    // steps that called the driver
  std::string failure_;
};

}  // namespace stepbench::cuda
