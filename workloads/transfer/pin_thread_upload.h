// SPDX-License-Identifier: Apache-2.0
// transfer.placement: pin_thread. The loader's pin thread begins the copy of a batch as soon as it
// is pinned; the main thread takes it over and lets the stream that computes wait for it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

#include "harness/measure/step_recorder.h"
#include "harness/workload.h"
#include "workloads/loader/batch_upload.h"
#include "workloads/transfer/double_buffer.h"
#include "workloads/transfer/streams.h"

namespace stepbench::transfer {

class PinThreadUpload final : public loader::BatchUpload {
 public:
  explicit PinThreadUpload(std::unique_ptr<UploadStream> stream) : stream_(std::move(stream)) {}
  ~PinThreadUpload() override;  // waits for the copies under way; the pin thread is gone

  void enter_thread() override { stream_->enter_thread(); }
  [[nodiscard]] std::shared_ptr<const void> upload(const Batch& pinned) override;

  // The rest is the main thread's. The phase h2d holds the wait for the copy, so that its device
  // time is the part that nothing hid.
  [[nodiscard]] torch_loader::BatchTensors next(const NextBatch& next_batch, StepRecorder& step);
  void window(Edge edge);
  // A batch's copy on its own stream: the mean of those that ended in a window. Nothing: none did.
  [[nodiscard]] std::optional<double> device_ns();

 private:
  struct DeviceBatch {
    torch_loader::BatchTensors tensors;
    std::shared_ptr<const StreamMark> copied;
  };
  struct Copy {
    std::shared_ptr<const StreamMark> begun;  // null: it failed in its midst
    std::shared_ptr<const StreamMark> ended;
    Batch source;
  };
  void release_passed();  // under the lock

  std::unique_ptr<UploadStream> stream_;
  std::mutex mutex_;            // of all below; the main thread takes it between windows only
  std::deque<Copy> under_way_;  // in the order of the stream
  bool in_window_ = false;
  std::int64_t copies_ = 0;
  double copies_ns_ = 0;
};

}  // namespace stepbench::transfer
