// SPDX-License-Identifier: Apache-2.0
// Events of many steps, reused in a circle without ever waiting for the device. Main thread only;
// inside a window nothing is allocated unless the ring or a step outgrows what warm-up has seen,
// which is counted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/cuda/cuda_api.h"
#include "harness/cuda/device_step.h"

namespace stepbench::cuda {

[[nodiscard]] constexpr bool is_side(DeviceStream stream) {
  return stream.handle != nullptr && !stream.computes;
}

// The events of one step.
struct StepEvents {
  struct Mark {
    CudaEvent event = nullptr;
    DeviceStream stream = {};
    PhaseId phase = PhaseId::kOther;
    bool begins = false;
  };
  CudaEvent begin = nullptr;
  CudaEvent end = nullptr;
  std::vector<Mark> marks = {};  // events made, of which `used` are recorded
  std::size_t used = 0;
  std::int64_t host_end_ns = 0;  // when `end` was recorded
};

// Calls after a failure do nothing and keep the first reason.
class EventRing {
 public:
  explicit EventRing(const CudaApi& api) : api_(api) {}
  EventRing(const EventRing&) = delete;
  EventRing& operator=(const EventRing&) = delete;
  ~EventRing();

  // Forgets all steps and what has grown. Makes the events that are missing for `steps` unread
  // steps with `marks` each and records each of them once, because their creation is lazy.
  void prepare(std::size_t steps, std::size_t marks);

  // Where the next step is recorded. Grows the ring when all its steps are unread.
  [[nodiscard]] StepEvents& next();
  void commit() { ++unread_; }  // the step from next() is complete
  [[nodiscard]] bool full() const { return unread_ + 1 >= ring_.size(); }
  [[nodiscard]] std::size_t unread() const { return unread_; }

  void record(StepEvents::Mark& mark, CudaStream stream) { record(mark.event, stream); }
  void record(CudaEvent event, CudaStream stream);
  // The step's next mark; makes an event when there are too few.
  void mark(StepEvents& step, PhaseId phase, DeviceStream stream, bool begins);

  [[nodiscard]] StepEvents& oldest() { return *ring_[head_]; }
  [[nodiscard]] bool passed(CudaEvent event);        // never waits
  [[nodiscard]] bool ready(const StepEvents& step);  // all its events have passed; never waits
  void pop();  // the oldest is read; it stays readable until the next pop()
  [[nodiscard]] std::int64_t elapsed_ns(CudaEvent from, CudaEvent to);
  [[nodiscard]] CudaEvent make_event();

  [[nodiscard]] const std::string& failure() const { return failure_; }
  [[nodiscard]] std::int64_t grown() const { return grown_; }  // allocations since prepare()
  void check(const char* call, int code);

 private:
  [[nodiscard]] std::unique_ptr<StepEvents> make_step(std::size_t marks);

  const CudaApi& api_;
  std::vector<std::unique_ptr<StepEvents>> ring_;  // unread steps from head_ on; before it the last
                                                   // one that was read
  std::size_t head_ = 0;
  std::size_t unread_ = 0;
  std::size_t marks_ = 0;
  std::int64_t grown_ = 0;
  std::vector<CudaEvent> events_;  // all, owned
  std::string failure_;
};

}  // namespace stepbench::cuda
