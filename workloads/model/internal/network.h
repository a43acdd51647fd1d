// SPDX-License-Identifier: Apache-2.0
// The base class, the linear layer and the makers of the table, shared by the built-in networks.
// Includes torch/nn: for model files only.
#pragma once

#include <ATen/ops/linear.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>

#include "workloads/model/model.h"
#include "workloads/model/module_model.h"

namespace stepbench::model {

class Network : public torch::nn::Module {
 public:
  [[nodiscard]] virtual at::Tensor forward(const at::Tensor& input) = 0;
  [[nodiscard]] virtual Decoder* decoder() { return nullptr; }
  // model.activation_checkpointing; call before the first forward().
  void recompute_blocks(bool on) { recompute_ = on; }

 protected:
  [[nodiscard]] bool recompute() const { return recompute_; }

 private:
  bool recompute_ = false;
};

[[nodiscard]] std::unique_ptr<Model> as_model(std::shared_ptr<Network> network,
                                              const ResolvedCase& resolved);

// Checks of a model's data. Throw ConfigError.
void require_image(std::string_view kind, const DataShape& data);
void require_tokens(std::string_view kind, const DataShape& data);
void require_classes(std::string_view kind, const DataShape& data);

using MakeModel = std::unique_ptr<Model>(const ResolvedCase&, const DataShape&);
MakeModel make_aoti, make_bert_base, make_gpt, make_mlp, make_resnet18, make_resnet50,
    make_torchscript, make_vit_b16;

// Like torch.nn.Linear in Python, which calls aten::linear. C++'s own module adds the bias in a
// separate operation for three-dimensional inputs.
class LinearImpl final : public torch::nn::LinearImpl {
 public:
  using torch::nn::LinearImpl::LinearImpl;
  at::Tensor forward(const at::Tensor& input) { return at::linear(input, weight, bias); }
};
TORCH_MODULE(Linear);

}  // namespace stepbench::model
