// SPDX-License-Identifier: Apache-2.0
// The whole data set on the device: a step gathers its batch there and copies only the samples'
// indices. Main thread only.
#pragma once

#include <cstdint>

#include "harness/measure/step_recorder.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/loader.h"
#include "workloads/transfer/internal/batch_tensor.h"

namespace stepbench::transfer {

class ResidentBatches {
 public:
  // Copies `all` to the device; its samples keep the values of epoch 0.
  ResidentBatches(const Batch& all, at::Device device, const loader::LoaderOptions& loader,
                  loader::EpochOrder order);

  // Batches in the loader's order, with its marks; the phase h2d is the gathering. Never waits for
  // the device.
  [[nodiscard]] transfer::BatchTensors next(StepRecorder& step);
  [[nodiscard]] const loader::BatchMarks& marks() const { return marks_; }  // last returned batch

 private:
  at::Device device_;
  transfer::BatchTensors all_;
  std::int64_t sample_bytes_;
  std::int64_t batch_size_;
  loader::BatchOrder order_;
  std::int64_t epoch_ = -1;  // the last one started
  loader::BatchMarks marks_;
};

}  // namespace stepbench::transfer
