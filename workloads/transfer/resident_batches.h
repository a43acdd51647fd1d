// SPDX-License-Identifier: Apache-2.0
// The whole data set on the device: a step takes its batch from there and copies nothing but the
// samples' numbers. Main thread only.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/measure/step_recorder.h"
#include "workloads/loader/loader.h"
#include "workloads/torch_loader/batch_tensor.h"

namespace stepbench {

class ResidentBatches {
 public:
  // Reads every sample of `all` once, as epoch 0 gives it.
  ResidentBatches(const Batch& all, at::Device device, LoaderOptions loader, EpochOrder order);

  // Batches in the loader's order, with its counts and marks; the phase h2d is the gathering.
  [[nodiscard]] BatchTensors next(StepRecorder& step);

 private:
  at::Device device_;
  BatchTensors all_;
  std::int64_t sample_bytes_;
  LoaderOptions loader_;
  EpochOrder order_;
  std::int64_t epoch_ = -1;
  std::vector<std::int64_t> indices_;
  std::size_t at_ = 0;
};

}  // namespace stepbench
