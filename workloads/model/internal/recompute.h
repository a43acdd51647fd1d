// SPDX-License-Identifier: Apache-2.0
// Activation checkpointing (Chen et al. 2016): a block stores only its input, and its backward pass
// runs it again. Equals torch.utils.checkpoint(use_reentrant=True) for each block of a model.
// Includes torch/nn: for model files only.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "workloads/model/module_model.h"

namespace stepbench::model {

// A block to recompute. Must outlive the backward pass.
struct RepeatedBlock {
  std::function<at::Tensor(const at::Tensor&)> forward;
  // State changed by a run, such as the running means of a batch norm: restored, so that two runs
  // have the effect of one.
  std::vector<at::Tensor> buffers;
};

// Runs forward(input) without storing what its backward pass needs. The second run draws the same
// random numbers, under the autocast of the first. `input` must require a gradient, or the block's
// parameters get none.
[[nodiscard]] at::Tensor run_twice(RepeatedBlock block, const at::Tensor& input);

// Calls run_twice() if gradients are recorded and `recompute` is set, else run_module().
template <typename Holder>
[[nodiscard]] at::Tensor run_block(Holder& holder, const at::Tensor& input, bool recompute) {
  if (!recompute || !input.requires_grad() || !at::GradMode::is_enabled())
    return run_module(holder, input);
  return run_twice(
      {.forward = [&holder](const at::Tensor& given) { return run_module(holder, given); },
       .buffers = holder->buffers()},
      input);
}

}  // namespace stepbench::model
