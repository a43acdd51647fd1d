// SPDX-License-Identifier: Apache-2.0
#include <torch/nn/modules/linear.h>

#include "harness/base/error.h"
#include "workloads/model/module_model.h"
#include "workloads/model/plugin.h"

namespace {

class TwoLayers final : public torch::nn::Module {
 public:
  TwoLayers(std::int64_t features, std::int64_t width, std::int64_t classes, bool bias)
      : hidden_(register_module(
            "hidden", torch::nn::Linear(torch::nn::LinearOptions(features, width).bias(bias)))),
        head_(register_module("head", torch::nn::Linear(width, classes))) {}
  at::Tensor forward(const at::Tensor& input) {
    return head_->forward(hidden_->forward(input.flatten(1)).relu_());
  }

 private:
  torch::nn::Linear hidden_, head_;
};

std::unique_ptr<stepbench::Model> make(const stepbench::ResolvedCase& resolved,
                                       const stepbench::DataShape& data) {
  if (!data.target.shape.empty()) {
    throw stepbench::ConfigError("data.kind", "two_layers needs one class label per sample");
  }
  std::int64_t features = 1;
  for (const std::int64_t extent : data.input.shape) features *= extent;
  return stepbench::model_of(std::make_shared<TwoLayers>(
      features, resolved.integer("plugin.width"), data.classes, resolved.flag("plugin.bias")));
}

constexpr const char* kOptions = R"([
  {"name": "width", "type": "integer", "min": 1, "default": 16, "doc": "Width of the hidden layer."},
  {"name": "bias", "type": "bool", "default": true, "doc": "Whether the hidden layer has a bias."}
])";

}  // namespace

STEPBENCH_PLUGIN(make, kOptions)
