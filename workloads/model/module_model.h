// SPDX-License-Identifier: Apache-2.0
// A torch::nn module as a Model: for the zoo and for plug-ins. Includes torch/nn.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <utility>

#include "workloads/model/model.h"

namespace stepbench {

// Calls a module's forward() inside its ModuleScope, so that profiled operations carry its path.
template <typename Holder>
[[nodiscard]] at::Tensor run_module(Holder& holder, const at::Tensor& input) {
  const ModuleScope scope(static_cast<const torch::nn::Module*>(holder.get()));
  return holder->forward(input);
}

// `Net` derives from torch::nn::Module and has at::Tensor forward(const at::Tensor&).
template <typename Net>
class ModuleModel final : public Model {
 public:
  explicit ModuleModel(std::shared_ptr<Net> net) : net_(std::move(net)) {}

  at::Tensor forward(const at::Tensor& input) override { return run_module(net_, input); }
  std::vector<at::Tensor> parameters() const override { return net_->parameters(); }
  NamedTensors state() const override {
    NamedTensors all;
    for (const auto& item : net_->named_parameters()) all.emplace_back(item.key(), item.value());
    for (const auto& item : net_->named_buffers()) all.emplace_back(item.key(), item.value());
    return all;
  }
  ModuleNames module_names() const override {
    ModuleNames names;
    for (const auto& item : net_->named_modules("", /*include_self=*/false))
      names.emplace_back(item.value().get(), item.key());
    names.emplace_back(static_cast<const torch::nn::Module*>(net_.get()), "(model)");
    return names;
  }
  Decoder* decoder() override {
    if constexpr (requires { net_->decoder(); }) return net_->decoder();
    return nullptr;
  }
  void train(bool on) override { net_->train(on); }
  void to(at::Device device, at::MemoryFormat format) override {
    net_->to(device);
    if (format != at::MemoryFormat::ChannelsLast) return;
    for (at::Tensor& parameter : net_->parameters()) {
      if (parameter.dim() == 4) parameter.set_data(parameter.contiguous(format));
    }
  }

 private:
  std::shared_ptr<Net> net_;
};

template <typename Net>
[[nodiscard]] std::unique_ptr<Model> model_of(std::shared_ptr<Net> net) {
  return std::make_unique<ModuleModel<Net>>(std::move(net));
}

}  // namespace stepbench
