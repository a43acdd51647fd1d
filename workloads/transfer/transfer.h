// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <deque>

#include "harness/measure/step_recorder.h"
#include "harness/resolved_case.h"
#include "workloads/data/batch.h"
#include "workloads/torch_loader/batch_tensor.h"

namespace stepbench {

// Brings batches to the device: placement `inline` copies in the step, on the current stream. Main
// thread.
class Transfer {
 public:
  Transfer(const ResolvedCase& resolved, at::Device device);

  // Marks the phase h2d, but on the CPU, where there is nothing to copy.
  [[nodiscard]] BatchTensors to_device(const Batch& batch, StepRecorder& step);
  [[nodiscard]] BatchTensors to_device(const Batch& batch);  // outside steps

 private:
  // A non-blocking copy reads the host memory later: the batch is kept until its event has passed.
  struct InFlight {
    c10::Event copied;
    Batch source;
  };
  void release_copied();

  at::Device device_;
  bool non_blocking_;
  std::deque<InFlight> in_flight_;
};

}  // namespace stepbench
