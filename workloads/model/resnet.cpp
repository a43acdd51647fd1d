// SPDX-License-Identifier: Apache-2.0
// ResNet as in torchvision: He et al. 2015, with the stride in the 3x3 convolution of a bottleneck
// ("v1.5").
#include <torch/nn/init.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include <array>

#include "workloads/model/internal/network.h"
#include "workloads/model/internal/recompute.h"

namespace stepbench::model {
namespace {

struct ResNetShape {
  bool bottleneck = false;
  std::array<std::int64_t, 4> blocks{};
  std::int64_t width = 64;  // channels of the first stage
};

torch::nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel,
                              std::int64_t stride) {
  torch::nn::Conv2d conv(
      torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
  torch::nn::init::kaiming_normal_(conv->weight, 0, torch::kFanOut, torch::kReLU);
  return conv;
}

// Convolutions with normalisation, relu in between, and the shortcut added before the last relu.
class ResidualBlock final : public torch::nn::Module {
 public:
  ResidualBlock(bool bottleneck, std::int64_t in, std::int64_t width, std::int64_t stride) {
    const std::int64_t out = bottleneck ? 4 * width : width;
    if (bottleneck) {
      add(in, width, 1, 1);
      add(width, width, 3, stride);
      add(width, out, 1, 1);
    } else {
      add(in, width, 3, stride);
      add(width, out, 3, 1);
    }
    if (stride == 1 && in == out) return;
    auto downsample = register_module("downsample", std::make_shared<Shortcut>());
    shortcut_conv_ = downsample->register_module("0", convolution(in, out, 1, stride));
    shortcut_norm_ = downsample->register_module("1", torch::nn::BatchNorm2d(out));
  }

  at::Tensor forward(const at::Tensor& input) {
    at::Tensor x = input;
    for (std::size_t i = 0; i < convs_.size(); ++i) {
      if (i > 0) x.relu_();
      x = run_module(norms_[i], run_module(convs_[i], x));
    }
    x += shortcut_conv_ ? run_module(shortcut_norm_, run_module(shortcut_conv_, input)) : input;
    return x.relu_();
  }

 private:
  struct Shortcut : torch::nn::Module {};

  void add(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
    const std::string number = std::to_string(convs_.size() + 1);
    convs_.push_back(register_module("conv" + number, convolution(in, out, kernel, stride)));
    norms_.push_back(register_module("bn" + number, torch::nn::BatchNorm2d(out)));
  }

  std::vector<torch::nn::Conv2d> convs_;
  std::vector<torch::nn::BatchNorm2d> norms_;
  torch::nn::Conv2d shortcut_conv_{nullptr};
  torch::nn::BatchNorm2d shortcut_norm_{nullptr};
};

struct ResidualStage : torch::nn::Module {
  std::vector<std::shared_ptr<ResidualBlock>> blocks;
};

class ResNet final : public Network {
 public:
  ResNet(const ResNetShape& shape, std::int64_t classes)
      : stem_(register_module("conv1", convolution(3, shape.width, 7, 2))),
        stem_norm_(register_module("bn1", torch::nn::BatchNorm2d(shape.width))) {
    std::int64_t channels = shape.width;
    for (std::size_t stage = 0; stage < shape.blocks.size(); ++stage) {
      const std::int64_t width = shape.width << stage;
      auto& added = stages_.emplace_back(
          register_module("layer" + std::to_string(stage + 1), std::make_shared<ResidualStage>()));
      for (std::int64_t i = 0; i < shape.blocks[stage]; ++i) {
        const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
        added->blocks.push_back(added->register_module(
            std::to_string(i),
            std::make_shared<ResidualBlock>(shape.bottleneck, channels, width, stride)));
        channels = shape.bottleneck ? 4 * width : width;
      }
    }
    head_ = register_module("fc", Linear(channels, classes));
  }

  at::Tensor forward(const at::Tensor& input) override {
    at::Tensor x = run_module(stem_norm_, run_module(stem_, input)).relu_();
    x = at::max_pool2d(x, 3, 2, 1);
    for (const auto& stage : stages_) {
      for (const auto& block : stage->blocks) x = run_block(block, x, recompute());
    }
    return run_module(head_, at::adaptive_avg_pool2d(x, {1, 1}).flatten(1));
  }

 private:
  torch::nn::Conv2d stem_;
  torch::nn::BatchNorm2d stem_norm_;
  std::vector<std::shared_ptr<ResidualStage>> stages_;
  Linear head_{nullptr};
};

std::unique_ptr<Model> make_resnet(std::string_view kind, ResNetShape standard,
                                   const ResolvedCase& resolved, const DataShape& data) {
  require_image(kind, data);
  require_classes(kind, data);
  if (resolved.text("model.size") == "tiny") {
    standard.blocks = {1, 1, 1, 1};
    standard.width = 8;
  }
  return as_model(std::make_shared<ResNet>(standard, data.classes), resolved);
}

}  // namespace

std::unique_ptr<Model> make_resnet18(const ResolvedCase& resolved, const DataShape& data) {
  return make_resnet("resnet18", {.bottleneck = false, .blocks = {2, 2, 2, 2}}, resolved, data);
}

std::unique_ptr<Model> make_resnet50(const ResolvedCase& resolved, const DataShape& data) {
  return make_resnet("resnet50", {.bottleneck = true, .blocks = {3, 4, 6, 3}}, resolved, data);
}

}  // namespace stepbench::model
