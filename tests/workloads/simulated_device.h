// SPDX-License-Identifier: Apache-2.0
// A device that exists only in this process: streams are queues of work, events order them, and the
// next queue to run is drawn at random. Copies read and write real memory at their turn, so that a
// missing wait, or memory that was freed too early, gives wrong numbers. For torch it is the device
// type PrivateUse1; memory comes from a caching allocator with the rules of CUDA's (a freed piece
// is reusable on its own stream at once, other streams need record_stream).
#pragma once

#include <c10/core/Device.h>

#include <atomic>

#include "tests/testing.h"
#include "workloads/data/batch.h"

namespace stepbench::test {

inline const c10::Device kSimulatedDevice{c10::DeviceType::PrivateUse1, 0};

// One at a time; torch finds it by the device type. Any thread.
class SimulatedDevice {
 public:
  explicit SimulatedDevice(unsigned seed);
  SimulatedDevice(const SimulatedDevice&) = delete;
  SimulatedDevice& operator=(const SimulatedDevice&) = delete;
  ~SimulatedDevice();  // finishes; the device must not be used afterwards

  void compute(std::function<void()> work);  // on the calling thread's current stream
  void finish();                             // all work

  [[nodiscard]] std::size_t live_events() const;

  class Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

// A batch of float32 numbers that all equal its index, in host memory that is overwritten when its
// last owner frees it. `live` counts such memories; any thread.
[[nodiscard]] Batch numbered_batch(std::int64_t index, std::int64_t size,
                                   std::shared_ptr<std::atomic<int>> live);

}  // namespace stepbench::test
