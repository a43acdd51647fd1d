// SPDX-License-Identifier: Apache-2.0
// Ring of reusable events of many steps; never waits for the device. Main thread only. Allocates
// nothing inside a window unless the ring or a step outgrows what warm-up has seen, which is
// counted.
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

}  // namespace stepbench::cuda
