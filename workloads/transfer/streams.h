// SPDX-License-Identifier: Apache-2.0
// Streams of copies beside the stream that computes, and what orders the two: CopyStream for a step
// that copies one batch ahead, UploadStream for a loader's pin thread. Tests give scripted ones.
#pragma once

#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <deque>
#include <memory>

#include "harness/measure/phase.h"
#include "workloads/torch_loader/batch_tensor.h"

namespace stepbench::transfer {

// The one that torch works on now, as events and phases take it; none where libtorch was built
// without CUDA.
[[nodiscard]] DeviceStream current_stream(c10::Device device);

// A non-blocking copy reads the host memory later: batches are kept until their copies have passed.
// Main thread only.
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

// The events that order copies and computation of a step. Main thread only.
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
  [[nodiscard]] virtual torch_loader::BatchTensors copy(std::size_t slot, const Batch& batch) = 0;
  virtual void copied(std::size_t slot) = 0;            // marks the copies made so far
  virtual void let_compute_wait(std::size_t slot) = 0;  // for what copied() marked
  virtual void compute_done(std::size_t slot) = 0;      // marks the work enqueued so far
};

// On a CUDA device a stream of its own. On the CPU a copy within memory, in the calling thread: for
// the logic, not for speed.
[[nodiscard]] std::unique_ptr<CopyStream> make_copy_stream(at::Device device, bool non_blocking);

// A point in a stream's work. Any thread.
class StreamMark {
 public:
  StreamMark() = default;
  StreamMark(const StreamMark&) = delete;
  StreamMark& operator=(const StreamMark&) = delete;
  virtual ~StreamMark() = default;

  [[nodiscard]] virtual bool passed() const = 0;  // never waits
  // On the device, from an earlier mark of the same stream. Both have passed.
  [[nodiscard]] virtual double ns_since(const StreamMark& earlier) const = 0;
};

// The stream that a pin thread feeds.
class UploadStream {
 public:
  UploadStream() = default;
  UploadStream(const UploadStream&) = delete;
  UploadStream& operator=(const UploadStream&) = delete;
  virtual ~UploadStream() = default;

  // Of the pin thread, of which there may be one after the other.
  virtual void enter_thread() = 0;
  [[nodiscard]] virtual std::shared_ptr<const StreamMark> mark() = 0;  // behind what is enqueued
  // Enqueues the copy into memory of the stream's own. `batch` must stay until it has passed.
  [[nodiscard]] virtual torch_loader::BatchTensors copy(const Batch& batch) = 0;

  // Of the main thread.
  virtual void let_compute_wait(const StreamMark& mark) = 0;
  // When `tensors` are gone, their memory is not filled again before the computations enqueued
  // until then are over.
  virtual void used_by_compute(const torch_loader::BatchTensors& tensors) = 0;
  virtual void finish() = 0;  // waits for the copies; with no pin thread left
};

// A stream of its own on a CUDA device, made by the first pin thread: workers are forked before.
[[nodiscard]] std::unique_ptr<UploadStream> make_upload_stream(at::Device device);

}  // namespace stepbench::transfer
