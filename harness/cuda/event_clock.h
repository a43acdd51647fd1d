// SPDX-License-Identifier: Apache-2.0
// Times steps and phases on the device by CUDA events at their borders. Adds columns to the
// samples: period_device_ns, step_device_ns, <phase>_device_ns and other_device_ns (compute
// stream), <phase>_side_device_ns and overlap_device_ns (all other streams), idle_device_ns and
// host_lead_ns. A period starts at the previous step's end event, so the sum over a window is its
// device time, however far the host runs ahead, and a window may begin on a busy device. A step
// begins and ends on the stream of its last compute phase. A window with work on unmarked streams
// gets no columns and a note. If no step was recorded before the window, an event at its beginning
// replaces the previous end. Nothing waits for the device between a cycle's first step and its
// window's end. Main thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/clock.h"
#include "harness/cuda/event_ring.h"
#include "harness/measure/instrument.h"

namespace stepbench::cuda {

struct EventClockOptions {
  int device = 0;           // CUDA ordinal
  std::size_t window = 50;  // steps per window, if known
  std::size_t ring = 256;   // maximum of unread steps before the oldest is queried
  std::vector<std::string> phase_names = {};  // in order of PhaseId
};

class EventClock final : public Instrument {
 public:
  // `clock` must outlive this object.
  EventClock(CudaApi api, const Clock& clock, EventClockOptions options);

  [[nodiscard]] std::string_view name() const override { return "CUDA events"; }
  [[nodiscard]] std::optional<std::string> exercise() override;
  void change(Action from, Action to) override;
  void step_begin(std::int64_t index) override;
  void step_end() noexcept override;
  void phase_begin(PhaseId id, DeviceStream on) override;
  void phase_end(PhaseId id, DeviceStream on) noexcept override;
  [[nodiscard]] bool times_the_device() const override {
    return ring_.failure().empty() && unseen_ == 0;
  }
  [[nodiscard]] std::string device_pci() const override { return device_pci_; }
  void add_columns(Series& cycle) override;
  void report(ReportSink& sink) const override;

 private:
  struct Row {
    DeviceStep step;
    std::int64_t overlap_ns = 0;
    std::int64_t device_end_ns = 0;  // since first_event_
    std::int64_t host_end_ns = 0;
  };

  void make_room();
  void begin_window();
  void read_oldest();
  void keep_for_overlap(std::int64_t step_begin_ns);
  [[nodiscard]] ClockMap::Moment moment(CudaEvent event);
  [[nodiscard]] bool misses_work(std::int64_t drained_ns, ClockMap::Moment last);
  void add_times(Series& cycle);
  void add_host_lead(Series& cycle, ClockMap::Moment last);
  [[nodiscard]] std::string missing_instruments_text() const;

  CudaApi api_;
  const Clock& clock_;
  EventClockOptions options_;
  EventRing ring_;
  std::string device_pci_;
  StepEvents* open_ = nullptr;
  std::size_t most_marks_ = 0;
  bool in_window_ = false;
  bool window_opens_ = false;  // its first step has not begun
  bool step_before_ = false;   // before_ holds the end of this cycle's last warm-up step
  CudaEvent before_ = nullptr;
  // Recorded on an idle device: after set-up or at the end of the previous window, and at the end
  // of this one.
  CudaEvent first_event_ = nullptr;
  CudaEvent last_event_ = nullptr;
  ClockMap::Moment first_;
  CudaEvent previous_end_ = nullptr;  // the last step read
  std::int64_t previous_end_ns_ = 0;  // since first_event_
  std::vector<Row> rows_;
  std::vector<DeviceSpan> spans_;
  // Only if there are side streams; times since first_event_: a copy may run while the compute
  // stream is steps behind.
  std::vector<DeviceSpan> compute_;
  std::vector<std::pair<std::size_t, DeviceSpan>> side_;  // with its row index
  bool side_streams_ = false;
  CudaStream compute_stream_ = nullptr;  // last compute phase
  std::int64_t lagging_ = 0;             // queries of an oldest step that was still running
  std::int64_t grown_ = 0;
  std::int64_t error_ns_ = 0;
  std::int64_t windows_ = 0;
  std::int64_t timed_ = 0;           // windows with columns
  std::int64_t leads_left_out_ = 0;  // windows without host_lead_ns
  std::int64_t seen_until_ns_ = 0;   // the last marked moment, since first_event_
  std::int64_t unseen_ = 0;          // windows with unmarked work
  std::int64_t unseen_ns_ = 0;
};

}  // namespace stepbench::cuda
