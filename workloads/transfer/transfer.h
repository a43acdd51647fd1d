// SPDX-License-Identifier: Apache-2.0
// Implements transfer.placement: moves a batch to the device.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>

#include "harness/base/resolved_case.h"
#include "harness/measure/step_recorder.h"
#include "workloads/data/batch.h"
#include "workloads/loader/loader.h"
#include "workloads/transfer/internal/batch_tensor.h"
#include "workloads/transfer/internal/copy_ahead.h"
#include "workloads/transfer/internal/resident_batches.h"
#include "workloads/transfer/internal/streams.h"
#include "workloads/transfer/transfer_section.h"

namespace stepbench::transfer {

// Moves batches to the device as transfer.placement says. Main thread.
class Transfer {
 public:
  Transfer(const ResolvedCase& resolved, at::Device device);

  [[nodiscard]] bool upstream() const { return placement_.kind == PlacementKind::kUpstream; }
  void keep_resident(std::unique_ptr<ResidentBatches> batches) { resident_ = std::move(batches); }
  // Use batches from the loader whose copies have already begun. `upload` must outlive this.
  void take_from(PinThreadUpload& upload) { upload_ = &upload; }

  // Returns the loader's next batch on the device. Marks the phase h2d, except on the CPU, where
  // inline placements copy nothing.
  [[nodiscard]] transfer::BatchTensors next(const NextBatch& next_batch, StepRecorder& step);
  [[nodiscard]] const loader::BatchMarks& marks() const { return marks_; }  // last returned batch
  [[nodiscard]] transfer::BatchTensors to_device(const Batch& batch,
                                                 StepRecorder& step);  // inside the step
  [[nodiscard]] transfer::BatchTensors to_device(const Batch& batch);  // outside steps

 private:
  const Placement& placement_;
  at::Device device_;
  bool non_blocking_;
  std::optional<BatchesInFlight> in_flight_;
  std::optional<DoubleBuffer> double_buffer_;
  std::unique_ptr<ResidentBatches> resident_;
  PinThreadUpload* upload_ = nullptr;
  loader::BatchMarks marks_;
};

}  // namespace stepbench::transfer
