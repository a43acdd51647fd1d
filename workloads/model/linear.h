// SPDX-License-Identifier: Apache-2.0
// Includes torch/nn: for model files only.
#pragma once

#include <ATen/ops/linear.h>
#include <torch/nn/modules/linear.h>

namespace stepbench::model {

// Like torch.nn.Linear in Python, which calls aten::linear. C++'s own module adds the bias in a
// separate operation for three-dimensional inputs.
class LinearImpl final : public torch::nn::LinearImpl {
 public:
  using torch::nn::LinearImpl::LinearImpl;
  at::Tensor forward(const at::Tensor& input) { return at::linear(input, weight, bias); }
};
TORCH_MODULE(Linear);

}  // namespace stepbench::model
