// SPDX-License-Identifier: Apache-2.0
// Copy streams in parallel to the compute stream, and their synchronisation: CopyStream for a step
// that copies one batch ahead, UploadStream for a loader's pin thread. Tests pass scripted ones.
#pragma once

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <deque>
#include <memory>

#include "harness/measure/phase.h"
#include "workloads/transfer/internal/batch_tensor.h"

namespace stepbench::transfer {

// The stream that torch currently computes on, for events and phases; null if libtorch was built
// without CUDA.
[[nodiscard]] DeviceStream current_stream(c10::Device device);

// Keeps batches until their non-blocking copies have passed, which read the host memory later. Main
// thread only.
class BatchesInFlight {
 public:
  explicit BatchesInFlight(c10::Device device) : device_(device) {}

  void keep(const Batch& batch, c10::Stream copies) {
    release();
    InFlight& copy = batches_.emplace_back(InFlight{c10::Event(device_.type()), batch});
    copy.copied.record(copies);
  }
  void release() {
    while (!batches_.empty() && batches_.front().copied.query()) batches_.pop_front();
  }

 private:
  struct InFlight {
    c10::Event copied;
    Batch source;
  };
  c10::Device device_;
  std::deque<InFlight> batches_;
};

// Events that order the copies and computations of a step. Main thread only.
class CopyStream {
 public:
  static constexpr std::size_t kSlots = 2;  // batches on the device: one computes, one arrives

  CopyStream() = default;
  CopyStream(const CopyStream&) = delete;
  CopyStream& operator=(const CopyStream&) = delete;
  virtual ~CopyStream() = default;

  [[nodiscard]] virtual DeviceStream handle() const = 0;
  virtual void wait_for_compute(std::size_t slot) = 0;  // waits for what compute_done() marked
  // Copies to the slot's memory; keeps the batch until the copy is done.
  [[nodiscard]] virtual transfer::BatchTensors copy(std::size_t slot, const Batch& batch) = 0;
  virtual void copied(std::size_t slot) = 0;                    // marks the copies made so far
  virtual void make_compute_stream_wait(std::size_t slot) = 0;  // waits for what copied() marked
  virtual void compute_done(std::size_t slot) = 0;              // marks the work enqueued so far
};

// On a CUDA device, its own stream. On the CPU, a copy within memory in the calling thread: for the
// logic, not for speed.
[[nodiscard]] std::unique_ptr<CopyStream> make_copy_stream(at::Device device, bool non_blocking);

// A point in a stream's work. Any thread.
class StreamMark {
 public:
  StreamMark() = default;
  StreamMark(const StreamMark&) = delete;
  StreamMark& operator=(const StreamMark&) = delete;
  virtual ~StreamMark() = default;

  [[nodiscard]] virtual bool passed() const = 0;  // never waits
  // Device time since an earlier mark of the same stream. Both must have passed.
  [[nodiscard]] virtual double ns_since(const StreamMark& earlier) const = 0;
};

// The stream used by a pin thread.
class UploadStream {
 public:
  UploadStream() = default;
  UploadStream(const UploadStream&) = delete;
  UploadStream& operator=(const UploadStream&) = delete;
  virtual ~UploadStream() = default;

  // Called by the pin thread; there may be several, one after another.
  virtual void enter_thread() = 0;
  [[nodiscard]] virtual std::shared_ptr<const StreamMark> mark() = 0;  // after enqueued work
  // Enqueues the copy to memory owned by the stream. `batch` must be kept until it has passed.
  [[nodiscard]] virtual transfer::BatchTensors copy(const Batch& batch) = 0;

  // Called by the main thread.
  virtual void make_compute_stream_wait(const StreamMark& mark) = 0;
  // When `tensors` are released, their memory is not reused before the computations enqueued until
  // then are done.
  virtual void used_by_compute(const transfer::BatchTensors& tensors) = 0;
  virtual void finish() = 0;  // waits for the copies; the pin thread must have ended
};

// On a CUDA device, its own stream, created by the first pin thread, after workers were forked.
[[nodiscard]] std::unique_ptr<UploadStream> make_upload_stream(at::Device device);

}  // namespace stepbench::transfer
