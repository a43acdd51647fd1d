// SPDX-License-Identifier: Apache-2.0

#include "workloads/model/internal/network.h"

namespace stepbench::model {
namespace {

// features -> hidden (relu), layers - 1 times hidden -> hidden (relu), -> classes.
class Mlp final : public Network {
 public:
  Mlp(std::int64_t features, std::int64_t hidden, std::int64_t layers, std::int64_t classes) {
    for (std::int64_t i = 0; i < layers; ++i) {
      hidden_.push_back(register_module("hidden" + std::to_string(i),
                                        Linear(i == 0 ? features : hidden, hidden)));
    }
    head_ = register_module("head", Linear(hidden, classes));
  }
  at::Tensor forward(const at::Tensor& input) override {
    at::Tensor x = input.flatten(1);
    for (Linear& layer : hidden_) x = run_module(layer, x).relu_();
    return run_module(head_, x);
  }

 private:
  std::vector<Linear> hidden_;
  Linear head_{nullptr};
};

}  // namespace

std::unique_ptr<Model> make_mlp(const ResolvedCase& resolved, const DataShape& data) {
  require_classes("mlp", data);
  std::int64_t features = 1;
  for (const std::int64_t extent : data.input.shape) features *= extent;
  const bool tiny = resolved.text("model.size") == "tiny";
  const auto size = [&](const char* option, std::int64_t tiny_value, std::int64_t standard) {
    return resolved.integer_or(option, tiny ? tiny_value : standard);
  };
  return as_model(std::make_shared<Mlp>(features, size("model.hidden", 32, 1024),
                                        size("model.layers", 1, 3), data.classes),
                  resolved);
}

}  // namespace stepbench::model
