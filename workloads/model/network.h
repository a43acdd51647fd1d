// SPDX-License-Identifier: Apache-2.0
// Base of the zoo's own modules. Includes torch/nn: for model files only.
#pragma once

#include <torch/nn/module.h>

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

}  // namespace stepbench::model
