// SPDX-License-Identifier: Apache-2.0
// Times steps and phases on the device by CUDA events at their borders. Adds columns to the
// samples: period_device_ns, step_device_ns, <phase>_device_ns and other_device_ns (compute
// stream), <phase>_side_device_ns and overlap_device_ns (all other streams), idle_device_ns and
// host_lead_ns. A period starts at the previous step's end event, so the sum over a window is its
// device time, however far the host runs ahead, and a window may begin on a busy device. A step
// begins and ends on the stream of its last compute phase. A window with work on unmarked streams,
// or in which that cannot be told, gets no columns and a note. If no step was recorded before the
// window, an event at its beginning replaces the previous end. Nothing waits for the device between
// a cycle's first step and its window's end. Main thread only.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/clock.h"
#include "harness/cuda/cuda_api.h"
#include "harness/measure/instrument.h"
#include "harness/measure/phase.h"

namespace stepbench::cuda {

// Device times of a step from its events. Pure functions of times in nanoseconds.

// One marked phase on a stream, relative to its step's first event: negative if a side stream is
// ahead of the compute stream.
struct DeviceSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  PhaseId phase = PhaseId::kOther;
  bool side_stream = false;  // not the compute stream
};

// Time of each phase on one kind of stream.
struct DevicePhases {
  std::array<std::int64_t, kMaxPhases> ns{};
  std::uint32_t occurred = 0;  // bit per PhaseId
};

struct DeviceStep {
  DevicePhases compute;        // on the compute stream
  DevicePhases side;           // on all other streams
  std::int64_t period_ns = 0;  // on the compute stream, since the previous step's end
  std::int64_t other_ns = 0;   // part of period_ns outside every phase on that stream
  std::int64_t span_ns = 0;    // first to last event on the compute stream
  std::int64_t idle_ns = 0;    // part of span_ns outside every phase that launches work
};

[[nodiscard]] bool launches_work(const DeviceSpan& span);

// A step of `span_ns` that began `gap_ns` after the previous step's end. Sorts `spans` in place;
// allocates nothing.
[[nodiscard]] DeviceStep device_step(std::vector<DeviceSpan>& spans, std::int64_t span_ns,
                                     std::int64_t gap_ns);

// Returns the part of `span` that overlaps any of `compute`; `compute` must be sorted and disjoint.
[[nodiscard]] std::int64_t overlap_ns(const DeviceSpan& span, std::span<const DeviceSpan> compute);

// cudaEventElapsedTime returns float milliseconds.
[[nodiscard]] std::int64_t ns_of_ms(float ms);

// Maps device times to host times: linear between two moments at which both clocks were read.
class ClockMap {
 public:
  struct Moment {
    std::int64_t device_ns = 0;
    std::int64_t host_ns = 0;
    std::int64_t error_ns = 0;  // bound of the error of host_ns
  };
  ClockMap(Moment first, Moment last) : first_(first), last_(last) {}
  [[nodiscard]] std::int64_t host_ns(std::int64_t device_ns) const;
  [[nodiscard]] std::int64_t error_ns() const;

 private:
  Moment first_;
  Moment last_;
};

// Ring of reusable events of many steps; never waits for the device. Allocates nothing inside a
// window unless the ring or a step outgrows what warm-up has seen, which is counted.

[[nodiscard]] constexpr bool is_side(DeviceStream stream) {
  return stream.handle != nullptr && !stream.computes;
}

struct StepEvents {
  struct Mark {
    CudaEvent event = nullptr;
    DeviceStream stream = {};
    PhaseId phase = PhaseId::kOther;
    bool begins = false;
  };
  CudaEvent begin = nullptr;
  CudaEvent end = nullptr;
  std::vector<Mark> marks = {};  // allocated events, of which `used` are recorded
  std::size_t used = 0;
  std::int64_t host_end_ns = 0;  // time at which `end` was recorded
};

// After a failure, calls do nothing and the first reason is kept.
class EventRing {
 public:
  explicit EventRing(const CudaApi& api) : api_(api) {}
  EventRing(const EventRing&) = delete;
  EventRing& operator=(const EventRing&) = delete;
  ~EventRing();

  // Discards all steps and resets grown(). Creates the missing events for `steps` unread steps with
  // `marks` each and records each once, because CUDA creates them lazily.
  void prepare(std::size_t steps, std::size_t marks);

  // The slot of the next step. Grows the ring if all steps are unread.
  [[nodiscard]] StepEvents& next();
  void commit() { ++unread_; }  // marks the step from next() as complete
  [[nodiscard]] bool full() const { return unread_ + 1 >= ring_.size(); }
  [[nodiscard]] std::size_t unread() const { return unread_; }

  void record(StepEvents::Mark& mark, CudaStream stream) { record(mark.event, stream); }
  void record(CudaEvent event, CudaStream stream);
  // Records the step's next mark; creates an event if there are too few.
  void mark(StepEvents& step, PhaseId phase, DeviceStream stream, bool begins);

  [[nodiscard]] StepEvents& oldest() { return *ring_[head_]; }
  [[nodiscard]] bool passed(CudaEvent event);        // never waits
  [[nodiscard]] bool ready(const StepEvents& step);  // all its events have passed; never waits
  void pop();  // drops the oldest step; it stays readable until the next pop()
  [[nodiscard]] std::int64_t elapsed_ns(CudaEvent from, CudaEvent to);
  [[nodiscard]] CudaEvent make_event();

  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] std::int64_t grown() const { return grown_; }  // allocations since prepare()
  void check(const char* call, int code);

 private:
  [[nodiscard]] std::unique_ptr<StepEvents> make_step(std::size_t marks);

  const CudaApi& api_;
  std::vector<std::unique_ptr<StepEvents>> ring_;  // unread steps from head_ on, preceded
                                                   // by the last step read
  std::size_t head_ = 0;
  std::size_t unread_ = 0;
  std::size_t marks_ = 0;
  std::int64_t grown_ = 0;
  std::vector<CudaEvent> events_;  // all events, owned
  std::string failure_;
};

struct EventClockOptions {
  int device = 0;           // CUDA ordinal
  std::size_t window = 50;  // steps per window, if known
  std::size_t ring = 256;   // maximum of unread steps before the oldest is queried
  std::vector<std::string> phase_names = {};  // in order of PhaseId
  // Cumulative time for which the calling thread was runnable without a CPU; empty: never.
  std::function<std::int64_t()> queued_ns = {};
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
  void device_wait_begins() override;
  void device_wait_ends() override;
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
  [[nodiscard]] std::int64_t queued_ns() const;
  [[nodiscard]] bool misses_work(ClockMap::Moment last);
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
  // The host's wait for the device at the end of the window, and how long it was queued meanwhile.
  std::int64_t wait_began_ns_ = 0;
  std::int64_t drained_ns_ = 0;
  std::int64_t queued_ns_ = 0;
  std::int64_t unseen_ = 0;  // windows with unmarked work
  std::int64_t unseen_ns_ = 0;
  std::int64_t hidden_ = 0;  // windows in which it cannot be told
  std::int64_t hidden_ns_ = 0;
};

}  // namespace stepbench::cuda
