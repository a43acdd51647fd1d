// SPDX-License-Identifier: Apache-2.0
// What the zoo's own modules share. Includes torch/nn: for model files only.
#pragma once

#include <torch/nn/module.h>

#include "workloads/model/model.h"

namespace stepbench {

class Network : public torch::nn::Module {
 public:
  [[nodiscard]] virtual at::Tensor forward(const at::Tensor& input) = 0;
};

[[nodiscard]] std::unique_ptr<Model> as_model(std::shared_ptr<Network> network);

// Checks that a model can make of its data. They throw ConfigError.
void require_image(std::string_view kind, const DataShape& data);
void require_classes(std::string_view kind, const DataShape& data);

[[nodiscard]] std::unique_ptr<Model> make_mlp(const ResolvedCase& resolved, const DataShape& data);
[[nodiscard]] std::unique_ptr<Model> make_resnet18(const ResolvedCase& resolved,
                                                   const DataShape& data);
[[nodiscard]] std::unique_ptr<Model> make_resnet50(const ResolvedCase& resolved,
                                                   const DataShape& data);

}  // namespace stepbench
