// SPDX-License-Identifier: Apache-2.0
// Copies the next batch while the current one computes. Main thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "harness/measure/step_recorder.h"
#include "workloads/loader/batch_marks.h"
#include "workloads/transfer/streams.h"

namespace stepbench::transfer {

using NextBatch = std::function<Batch()>;  // marks its own data_wait

class DoubleBuffer {
 public:
  explicit DoubleBuffer(std::unique_ptr<CopyStream> copies) : copies_(std::move(copies)) {}

  // Returns the batch whose copy began in the previous call, and begins the copy of the next one.
  // All work enqueued until the next call counts as this batch's computation.
  [[nodiscard]] torch_loader::BatchTensors next(const NextBatch& next_batch, StepRecorder& step);
  [[nodiscard]] const loader::BatchMarks& marks() const { return marks_; }  // last returned batch

 private:
  struct Arriving {
    std::size_t slot = 0;
    torch_loader::BatchTensors tensors = {};
    loader::BatchMarks marks = {};
  };
  [[nodiscard]] Arriving begin_copy(std::size_t slot, const Batch& batch, StepRecorder& step);

  std::unique_ptr<CopyStream> copies_;
  std::optional<Arriving> arriving_;
  std::optional<std::size_t> computing_;  // the slot in use
  loader::BatchMarks marks_;
};

}  // namespace stepbench::transfer
