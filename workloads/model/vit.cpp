// SPDX-License-Identifier: Apache-2.0
// Vision transformer (Dosovitskiy et al. 2021) with torchvision's names, initialisation and
// operations: dropout 0, and attention as torch.nn.MultiheadAttention computes it in training.
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/normalization.h>

#include <cmath>

#include "harness/base/error.h"
#include "workloads/model/internal/network.h"
#include "workloads/model/internal/recompute.h"

namespace stepbench::model {
namespace {

struct VitShape {
  std::int64_t layers, heads, width, mlp_width;
};
constexpr std::int64_t kPatch = 16;
constexpr double kVitDropout = 0;

at::Tensor vit_dropout(const at::Tensor& x, const torch::nn::Module& module) {
  return at::dropout(x, kVitDropout, module.is_training());
}

torch::nn::LayerNorm vit_norm(std::int64_t width) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(1e-6));
}

// Holds weights under the names of torch.nn.MultiheadAttention.
class VitAttention final : public torch::nn::Module {
 public:
  VitAttention(std::int64_t width, std::int64_t heads)
      : heads_(heads),
        in_weight_(register_parameter("in_proj_weight", torch::empty({3 * width, width}))),
        in_bias_(register_parameter("in_proj_bias", torch::zeros({3 * width}))),
        out_(register_module("out_proj", Linear(width, width))) {
    torch::nn::init::xavier_uniform_(in_weight_);
    torch::nn::init::zeros_(out_->bias);
  }
  // Transposes positions before the batch internally, and applies each weight to all tokens at
  // once.
  at::Tensor forward(const at::Tensor& x) {
    const std::int64_t batch = x.size(0), positions = x.size(1), width = x.size(2);
    const at::Tensor qkv = at::linear(x.transpose(1, 0), in_weight_, in_bias_)
                               .unflatten(-1, {3, width})
                               .unsqueeze(0)
                               .transpose(0, -2)
                               .squeeze(-2)
                               .contiguous();
    const auto split = [&](std::int64_t which) {
      return qkv[which].view({positions, batch * heads_, -1}).transpose(0, 1);
    };
    const at::Tensor q = split(0), k = split(1), v = split(2);
    const auto by_head = [&](const at::Tensor& each) {
      return each.view({batch, heads_, positions, width / heads_});
    };
    const at::Tensor attended = at::scaled_dot_product_attention(by_head(q), by_head(k), by_head(v))
                                    .permute({2, 0, 1, 3})
                                    .contiguous()
                                    .view({positions * batch, width});
    return run_module(out_, attended).view({positions, batch, width}).transpose(1, 0);
  }

 private:
  std::int64_t heads_;
  at::Tensor in_weight_, in_bias_;
  Linear out_;
};

class VitMlp final : public torch::nn::Module {
 public:
  VitMlp(std::int64_t width, std::int64_t inner)
      : up_(register_module("0", Linear(width, inner))),
        down_(register_module("3", Linear(inner, width))) {
    for (Linear& layer : {std::ref(up_), std::ref(down_)}) {
      torch::nn::init::xavier_uniform_(layer->weight);
      torch::nn::init::normal_(layer->bias, 0, 1e-6);
    }
  }
  at::Tensor forward(const at::Tensor& x) {
    const at::Tensor inner = vit_dropout(at::gelu(run_module(up_, x)), *this);
    return vit_dropout(run_module(down_, inner), *this);
  }

 private:
  Linear up_, down_;
};

class VitBlock final : public torch::nn::Module {
 public:
  explicit VitBlock(const VitShape& shape)
      : norm1_(register_module("ln_1", vit_norm(shape.width))),
        attention_(register_module("self_attention",
                                   std::make_shared<VitAttention>(shape.width, shape.heads))),
        norm2_(register_module("ln_2", vit_norm(shape.width))),
        mlp_(register_module("mlp", std::make_shared<VitMlp>(shape.width, shape.mlp_width))) {}
  at::Tensor forward(const at::Tensor& input) {
    const at::Tensor attended = run_module(attention_, run_module(norm1_, input));
    const at::Tensor x = vit_dropout(attended, *this) + input;
    return x + run_module(mlp_, run_module(norm2_, x));
  }

 private:
  torch::nn::LayerNorm norm1_;
  std::shared_ptr<VitAttention> attention_;
  torch::nn::LayerNorm norm2_;
  std::shared_ptr<VitMlp> mlp_;
};

class Vit final : public Network {
 public:
  Vit(const VitShape& shape, std::int64_t image_size, std::int64_t classes)
      : class_token_(register_parameter("class_token", torch::zeros({1, 1, shape.width}))),
        patches_(register_module(
            "conv_proj",
            torch::nn::Conv2d(torch::nn::Conv2dOptions(3, shape.width, kPatch).stride(kPatch)))) {
    const double fan_in = 3 * kPatch * kPatch;
    torch::nn::init::zeros_(patches_->bias);
    {
      const torch::NoGradGuard no_grad;
      truncated_normal(patches_->weight, std::sqrt(1 / fan_in));
    }
    auto encoder = register_module("encoder", std::make_shared<Group>());
    const std::int64_t side = image_size / kPatch;
    positions_ = encoder->register_parameter(
        "pos_embedding", torch::empty({1, side * side + 1, shape.width}).normal_(0, 0.02));
    auto layers = encoder->register_module("layers", std::make_shared<Group>());
    for (std::int64_t i = 0; i < shape.layers; ++i) {
      blocks_.push_back(layers->register_module("encoder_layer_" + std::to_string(i),
                                                std::make_shared<VitBlock>(shape)));
    }
    norm_ = encoder->register_module("ln", vit_norm(shape.width));
    head_ = register_module("heads", std::make_shared<Group>())
                ->register_module("head", Linear(shape.width, classes));
    torch::nn::init::zeros_(head_->weight);
    torch::nn::init::zeros_(head_->bias);
  }

  at::Tensor forward(const at::Tensor& input) override {
    at::Tensor x = run_module(patches_, input);
    x = x.reshape({x.size(0), x.size(1), x.size(2) * x.size(3)}).permute({0, 2, 1});
    x = at::cat({class_token_.expand({input.size(0), -1, -1}), x}, 1) + positions_;
    x = vit_dropout(x, *this);
    for (const auto& block : blocks_) x = run_block(block, x, recompute());
    return run_module(head_, run_module(norm_, x).select(1, 0));
  }

 private:
  struct Group : torch::nn::Module {};

  // Truncated at +-2 like torch.nn.init.trunc_normal_, by the inverse distribution function.
  static void truncated_normal(at::Tensor& weight, double deviation) {
    const double bound = std::erf(2 / deviation / std::sqrt(2.0));
    weight.uniform_(-bound, bound).erfinv_().mul_(deviation * std::sqrt(2.0)).clamp_(-2, 2);
  }

  at::Tensor class_token_;
  torch::nn::Conv2d patches_;
  at::Tensor positions_;
  std::vector<std::shared_ptr<VitBlock>> blocks_;
  torch::nn::LayerNorm norm_{nullptr};
  Linear head_{nullptr};
};

}  // namespace

std::unique_ptr<Model> make_vit_b16(const ResolvedCase& resolved, const DataShape& data) {
  require_image("vit_b16", data);
  require_classes("vit_b16", data);
  const std::int64_t size = data.input.shape[1];
  if (size != data.input.shape[2] || size % kPatch != 0) {
    throw ConfigError("data.image_size", "vit_b16 cuts square images into patches of 16 pixels; " +
                                             std::to_string(size) + " is not a multiple of 16");
  }
  const bool tiny = resolved.text("model.size") == "tiny";
  const VitShape shape = tiny
                             ? VitShape{.layers = 2, .heads = 2, .width = 32, .mlp_width = 64}
                             : VitShape{.layers = 12, .heads = 12, .width = 768, .mlp_width = 3072};
  return as_model(std::make_shared<Vit>(shape, size, data.classes), resolved);
}

}  // namespace stepbench::model
