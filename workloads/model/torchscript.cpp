// SPDX-License-Identifier: Apache-2.0
// A model saved by Python's torch.jit.script or torch.jit.trace. Its executor profiles the first
// runs and compiles for what it observed.
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include "harness/base/error.h"
#include "workloads/model/internal/network.h"

namespace stepbench::model {
namespace {

class TorchScriptModel final : public Model {
 public:
  explicit TorchScriptModel(torch::jit::Module module) : module_(std::move(module)) {}

  at::Tensor forward(const at::Tensor& input) override {
    at::IValue output = module_.forward({input});
    if (output.isTensor()) return std::move(output).toTensor();
    throw Error("the model returns a " + output.type()->repr_str() +
                "; expected one tensor of logits");
  }
  std::vector<at::Tensor> parameters() const override {
    std::vector<at::Tensor> all;
    for (const at::Tensor& parameter : module_.parameters()) all.push_back(parameter);
    return all;
  }
  NamedTensors state() const override {
    NamedTensors all;
    for (const auto& item : module_.named_parameters()) all.emplace_back(item.name, item.value);
    for (const auto& item : module_.named_buffers()) all.emplace_back(item.name, item.value);
    return all;
  }
  void train(bool on) override { module_.train(on); }
  void to(at::Device device, at::MemoryFormat format) override {
    module_.to(device);
    if (format != at::MemoryFormat::ChannelsLast) return;
    for (at::Tensor parameter : module_.parameters()) {
      if (parameter.dim() == 4) parameter.set_data(parameter.contiguous(format));
    }
  }

 private:
  torch::jit::Module module_;
};

torch::jit::Module load_torchscript(const std::string& path) {
  try {
    return torch::jit::load(path, at::Device(at::kCPU));
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    throw ConfigError("model.path", "'" + path + "' is not a TorchScript file (" +
                                        text.substr(0, text.find('\n')) +
                                        "); expected one that torch.jit.script(model).save(path) "
                                        "wrote; torch.save writes weights without the program");
  }
}

}  // namespace

std::unique_ptr<Model> make_torchscript(const ResolvedCase& resolved, const DataShape&) {
  auto model = std::make_unique<TorchScriptModel>(load_torchscript(resolved.text("model.path")));
  model->train(true);
  return model;
}

}  // namespace stepbench::model
