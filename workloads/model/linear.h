// SPDX-License-Identifier: Apache-2.0
// Includes torch/nn: for model files only.
#pragma once

#include <ATen/ops/linear.h>
#include <torch/nn/modules/linear.h>

namespace stepbench::model {

// torch.nn.Linear. C++'s own module adds the bias with an operation of its own where the input has
// three dimensions; Python's calls aten::linear, which does not.
class LinearImpl final : public torch::nn::LinearImpl {
 public:
  using torch::nn::LinearImpl::LinearImpl;
  at::Tensor forward(const at::Tensor& input) { return at::linear(input, weight, bias); }
};
TORCH_MODULE(Linear);

}  // namespace stepbench::model
