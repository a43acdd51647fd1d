// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/model_state.h"

#include <ATen/core/grad_mode.h>

namespace stepbench {

ModelState::ModelState(const Model& model) {
  for (const auto& [name, tensor] : model.state()) {
    tensors_.emplace_back(tensor, tensor.detach().clone());
  }
}

void ModelState::restore() const {
  const at::NoGradGuard no_grad;
  for (const auto& [tensor, copy] : tensors_) tensor.copy_(copy);
}

}  // namespace stepbench
