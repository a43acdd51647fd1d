// SPDX-License-Identifier: Apache-2.0
// The stream of copies that a loader's pin thread feeds, and what the stream that computes is told
// of it. Tests give a scripted one.
#pragma once

#include <memory>

#include "workloads/torch_loader/batch_tensor.h"

namespace stepbench {

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
  [[nodiscard]] virtual BatchTensors copy(const Batch& batch) = 0;

  // Of the main thread.
  virtual void let_compute_wait(const StreamMark& mark) = 0;
  // When `tensors` are gone, their memory is not filled again before the computations enqueued
  // until then are over.
  virtual void used_by_compute(const BatchTensors& tensors) = 0;
  virtual void finish() = 0;  // waits for the copies; with no pin thread left
};

// A stream of its own on a CUDA device, made by the first pin thread: workers are forked before.
[[nodiscard]] std::unique_ptr<UploadStream> make_upload_stream(at::Device device);

}  // namespace stepbench
