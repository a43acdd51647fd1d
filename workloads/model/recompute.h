// SPDX-License-Identifier: Apache-2.0
// Activation checkpointing (Chen et al. 2016): a block keeps its input alone, and its backward runs
// it again. As torch.utils.checkpoint(use_reentrant=True) does it for each block of a model.
// Includes torch/nn: for model files only.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "workloads/model/module_model.h"

namespace stepbench::model {

// What is run again. Must outlive the backward pass.
struct RepeatedBlock {
  std::function<at::Tensor(const at::Tensor&)> forward;
  // What a run changes, as the running means of a batch norm: set back, so that a block that ran
  // twice leaves what it leaves after one run.
  std::vector<at::Tensor> buffers;
};

// forward(input), without what its backward would need. The second run draws the same random
// numbers, under the autocast of the first. `input` must want a gradient, or the block's parameters
// get none.
[[nodiscard]] at::Tensor run_twice(RepeatedBlock block, const at::Tensor& input);

// run_module(), or run_twice() where gradients are recorded and `recompute` asks for it.
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
