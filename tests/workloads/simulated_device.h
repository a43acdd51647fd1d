// SPDX-License-Identifier: Apache-2.0
// A device that exists only in this process: streams are queues of work, events order them, and
// which queue goes on next is drawn by chance. Copies read and write real memory when their turn
// comes, so that a missing wait, or memory that was given away too early, shows as wrong numbers.
// To torch it is the device type PrivateUse1; memory comes from a caching allocator with the rules
// of CUDA's (a freed piece serves its own stream again at once, other streams need record_stream).
#pragma once

#include <c10/core/Device.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "workloads/data/batch.h"

namespace stepbench::test {

inline const c10::Device kSimulatedDevice{c10::DeviceType::PrivateUse1, 0};

// One at a time; torch finds it by the device type. Any thread.
class SimulatedDevice {
 public:
  explicit SimulatedDevice(unsigned seed);
  SimulatedDevice(const SimulatedDevice&) = delete;
  SimulatedDevice& operator=(const SimulatedDevice&) = delete;
  ~SimulatedDevice();  // finishes; nothing on the device may be used any more

  void compute(std::function<void()> work);  // on the calling thread's current stream
  void finish();                             // all of it

  [[nodiscard]] std::size_t live_events() const;

  class Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

// A batch of float32 numbers that all equal its index, in host memory that is overwritten with
// others when the last owner lets it go. `live` counts such memories; any thread.
[[nodiscard]] Batch numbered_batch(std::int64_t index, std::int64_t size,
                                   std::shared_ptr<std::atomic<int>> live);

}  // namespace stepbench::test
