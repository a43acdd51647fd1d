// SPDX-License-Identifier: Apache-2.0
// Activity of a caching device allocator in each step of a profiled launch. Reads its counters at
// the end of every step; the timing pass only reads them at the window's borders
// (allocator_window.h). Main thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/cuda/allocator_window.h"
#include "harness/measure/instrument.h"

namespace stepbench::cuda {

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
