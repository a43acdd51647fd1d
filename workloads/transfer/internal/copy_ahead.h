// SPDX-License-Identifier: Apache-2.0
// Copies a batch ahead of the step that uses it: during the computation on the previous batch
// (DoubleBuffer), or in the loader's pin thread (PinThreadUpload).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "harness/measure/step_recorder.h"
#include "harness/workload.h"
#include "workloads/loader/loader.h"
#include "workloads/transfer/internal/streams.h"

namespace stepbench::transfer {

using NextBatch = std::function<Batch()>;  // marks its own data_wait

class DoubleBuffer {
 public:
  explicit DoubleBuffer(std::unique_ptr<CopyStream> copies) : copies_(std::move(copies)) {}

  // Returns the batch whose copy began in the previous call, and begins the copy of the next one.
  // All work enqueued until the next call counts as this batch's computation.
  [[nodiscard]] transfer::BatchTensors next(const NextBatch& next_batch, StepRecorder& step);
  [[nodiscard]] const loader::BatchMarks& marks() const { return marks_; }  // last returned batch

 private:
  struct Arriving {
    std::size_t slot = 0;
    transfer::BatchTensors tensors = {};
    loader::BatchMarks marks = {};
  };
  [[nodiscard]] Arriving begin_copy(std::size_t slot, const Batch& batch, StepRecorder& step);

  std::unique_ptr<CopyStream> copies_;
  std::optional<Arriving> arriving_;
  std::optional<std::size_t> computing_;  // the slot in use
  loader::BatchMarks marks_;
};

// transfer.placement: pin_thread. The loader's pin thread begins the copy of a batch as soon as it
// is pinned; the main thread takes over and makes the compute stream wait for it.
class PinThreadUpload final : public loader::BatchUpload {
 public:
  explicit PinThreadUpload(std::unique_ptr<UploadStream> stream) : stream_(std::move(stream)) {}
  ~PinThreadUpload() override;  // waits for copies in flight; the pin thread must have ended

  void enter_thread() override { stream_->enter_thread(); }
  [[nodiscard]] std::shared_ptr<const void> upload(const Batch& pinned) override;

  // The remaining functions are for the main thread. The phase h2d includes the wait for the copy,
  // so that its device time is the part that nothing overlapped.
  [[nodiscard]] transfer::BatchTensors next(const NextBatch& next_batch, StepRecorder& step);
  void window(Edge edge);
  // Mean duration of a batch's copy on its own stream, over copies that ended in a window; nullopt:
  // none.
  [[nodiscard]] std::optional<double> device_ns();

 private:
  struct DeviceBatch {
    transfer::BatchTensors tensors;
    std::shared_ptr<const StreamMark> copied;
  };
  struct Copy {
    std::shared_ptr<const StreamMark> begun;  // null: the copy failed halfway
    std::shared_ptr<const StreamMark> ended;
    Batch source;
  };
  void release_passed();  // requires the lock

  std::unique_ptr<UploadStream> stream_;
  std::mutex mutex_;            // for all below; the main thread takes it between windows only
  std::deque<Copy> under_way_;  // in stream order
  bool in_window_ = false;
  std::int64_t copies_ = 0;
  double copies_ns_ = 0;
};

}  // namespace stepbench::transfer
