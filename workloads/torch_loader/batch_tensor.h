// SPDX-License-Identifier: Apache-2.0
// The one place where a Batch becomes tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include "workloads/data/batch.h"

namespace stepbench::torch_loader {

// What a model is fed and what its output is compared with: the first and the second field of a
// batch.
struct BatchTensors {
  at::Tensor input;
  at::Tensor target;
};

// A CPU tensor over the field's memory, without a copy. It shares the batch's owner: the memory
// goes back to its pool when batch and tensors are gone.
[[nodiscard]] at::Tensor field_tensor(const Batch& batch, std::size_t field);
[[nodiscard]] BatchTensors batch_tensors(const Batch& batch);

}  // namespace stepbench::torch_loader
