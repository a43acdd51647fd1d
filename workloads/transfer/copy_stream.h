// SPDX-License-Identifier: Apache-2.0
// A stream of copies beside the stream that computes, with the events that order the two. Main
// thread only. Tests give a scripted one.
#pragma once

#include <memory>

#include "harness/measure/phase.h"
#include "workloads/torch_loader/batch_tensor.h"

namespace stepbench {

class CopyStream {
 public:
  static constexpr std::size_t kSlots = 2;  // two batches on the device: one computes, one arrives

  CopyStream() = default;
  CopyStream(const CopyStream&) = delete;
  CopyStream& operator=(const CopyStream&) = delete;
  virtual ~CopyStream() = default;

  [[nodiscard]] virtual DeviceStream handle() const = 0;
  virtual void wait_for_compute(std::size_t slot) = 0;  // until what compute_done() marked is over
  // Into the slot's memory; the batch is kept until the copy is done.
  [[nodiscard]] virtual BatchTensors copy(std::size_t slot, const Batch& batch) = 0;
  virtual void copied(std::size_t slot) = 0;            // marks the copies made so far
  virtual void let_compute_wait(std::size_t slot) = 0;  // for what copied() marked
  virtual void compute_done(std::size_t slot) = 0;      // marks the work enqueued so far
};

// On a CUDA device a stream of its own. On the CPU a copy within memory, in the calling thread: for
// the logic, not for speed.
[[nodiscard]] std::unique_ptr<CopyStream> make_copy_stream(at::Device device, bool non_blocking);

}  // namespace stepbench
