// SPDX-License-Identifier: Apache-2.0
// Converts a Batch to tensors; no other code does.
#pragma once

#include <ATen/core/Tensor.h>

#include "workloads/data/batch.h"

namespace stepbench::transfer {

// The model's input and the target for its output: the first and the second field of a batch.
struct BatchTensors {
  at::Tensor input;
  at::Tensor target;
};

// A CPU tensor over the field's memory, without a copy. It shares the batch's owner: the memory
// returns to its pool when batch and tensors are destroyed.
[[nodiscard]] at::Tensor field_tensor(const Batch& batch, std::size_t field);
[[nodiscard]] BatchTensors batch_tensors(const Batch& batch);

}  // namespace stepbench::transfer
