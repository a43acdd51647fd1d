// SPDX-License-Identifier: Apache-2.0
// Decoder of GPT-2 (Radford et al. 2019) with the names, the initialisation and the operations of
// nanoGPT: pre-norm, tied embeddings, dropout 0. Has as many positions as the data's sequences.
#include <ATen/ops/arange.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/gelu.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/normalization.h>

#include <cmath>

#include "harness/base/error.h"
#include "workloads/model/internal/attention.h"
#include "workloads/model/internal/network.h"
#include "workloads/model/internal/recompute.h"

namespace stepbench::model {
namespace {

constexpr double kGptDropout = 0;

struct GptShape {
  std::int64_t layers, heads, width;
};

Linear gpt_linear(std::int64_t in, std::int64_t out, double deviation = 0.02) {
  Linear linear(in, out);
  torch::nn::init::normal_(linear->weight, 0, deviation);
  torch::nn::init::zeros_(linear->bias);
  return linear;
}

torch::nn::LayerNorm gpt_norm(std::int64_t width) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}));
}

class GptBlock final : public torch::nn::Module {
 public:
  GptBlock(const GptShape& shape, std::int64_t context) : heads_(shape.heads), cache_(context) {
    const std::int64_t width = shape.width;
    // Scales additions to the residual stream down by their number.
    const double residual = 0.02 / std::sqrt(2.0 * static_cast<double>(shape.layers));
    norm1_ = register_module("ln_1", gpt_norm(width));
    auto attention = register_module("attn", std::make_shared<Group>());
    qkv_ = attention->register_module("c_attn", gpt_linear(width, 3 * width));
    out_ = attention->register_module("c_proj", gpt_linear(width, width, residual));
    norm2_ = register_module("ln_2", gpt_norm(width));
    auto mlp = register_module("mlp", std::make_shared<Group>());
    up_ = mlp->register_module("c_fc", gpt_linear(width, 4 * width));
    down_ = mlp->register_module("c_proj", gpt_linear(4 * width, width, residual));
  }
  at::Tensor forward(const at::Tensor& input) {
    const at::Tensor x = input + attend(run_module(norm1_, input));
    const at::Tensor inner = at::gelu(run_module(up_, run_module(norm2_, x)));
    return x + drop(run_module(down_, inner));
  }
  // For positions that follow those in the cache.
  void use_cache(bool on) { cached_ = on; }
  [[nodiscard]] KeyValueCache& cache() { return cache_; }

 private:
  struct Group : torch::nn::Module {};

  at::Tensor attend(const at::Tensor& x) {
    const std::vector<at::Tensor> qkv = run_module(qkv_, x).split(x.size(-1), 2);
    const at::Tensor attended =
        cached_
            ? cache_.attend(qkv[0], qkv[1], qkv[2], heads_)
            : attention(
                  qkv[0], qkv[1], qkv[2],
                  {.heads = heads_, .causal = true, .dropout = is_training() ? kGptDropout : 0});
    return drop(run_module(out_, attended));
  }
  at::Tensor drop(const at::Tensor& x) const { return at::dropout(x, kGptDropout, is_training()); }

  std::int64_t heads_;
  torch::nn::LayerNorm norm1_{nullptr}, norm2_{nullptr};
  Linear qkv_{nullptr}, out_{nullptr}, up_{nullptr}, down_{nullptr};
  KeyValueCache cache_;
  bool cached_ = false;
};

using GptBlocks = std::vector<std::shared_ptr<GptBlock>>;

// Routes the blocks' attention through their caches during its lifetime.
class CacheScope {
 public:
  explicit CacheScope(const GptBlocks& blocks) : blocks_(blocks) { use(true); }
  CacheScope(const CacheScope&) = delete;
  CacheScope& operator=(const CacheScope&) = delete;
  ~CacheScope() { use(false); }

 private:
  void use(bool on) {
    for (const auto& block : blocks_) block->use_cache(on);
  }
  const GptBlocks& blocks_;
};

class Gpt final : public Network, private Decoder {
 public:
  Gpt(const GptShape& shape, std::int64_t vocabulary, std::int64_t positions) {
    auto transformer = register_module("transformer", std::make_shared<Group>());
    tokens_ = transformer->register_module("wte", torch::nn::Embedding(vocabulary, shape.width));
    positions_ = transformer->register_module("wpe", torch::nn::Embedding(positions, shape.width));
    torch::nn::init::normal_(tokens_->weight, 0, 0.02);
    torch::nn::init::normal_(positions_->weight, 0, 0.02);
    auto blocks = transformer->register_module("h", std::make_shared<Group>());
    for (std::int64_t i = 0; i < shape.layers; ++i) {
      blocks_.push_back(
          blocks->register_module(std::to_string(i), std::make_shared<GptBlock>(shape, positions)));
    }
    norm_ = transformer->register_module("ln_f", gpt_norm(shape.width));
  }
  at::Tensor forward(const at::Tensor& input) override { return logits(hidden(input, 0)); }
  Decoder* decoder() override { return this; }

 private:
  void restart() override {
    for (const auto& block : blocks_) block->cache().clear();
  }
  at::Tensor next(const at::Tensor& tokens) override {
    const CacheScope cached(blocks_);
    const std::int64_t before = blocks_.front()->cache().length();
    if (before > 0 && tokens.size(1) > 1) throw Error("a cache takes one token at a time");
    const std::int64_t after = before + tokens.size(1);
    if (after > positions_->options.num_embeddings()) {
      throw Error(std::to_string(after) + " tokens are more than the context of " +
                  std::to_string(positions_->options.num_embeddings()) + " tokens holds");
    }
    return logits(hidden(tokens, before).select(1, tokens.size(1) - 1));
  }

  // For tokens whose first position is `place`.
  at::Tensor hidden(const at::Tensor& tokens, std::int64_t place) {
    const at::Tensor places = at::arange(place, place + tokens.size(1), tokens.options());
    at::Tensor x = run_module(tokens_, tokens) + run_module(positions_, places);
    x = at::dropout(x, kGptDropout, is_training());
    for (const auto& block : blocks_) x = run_block(block, x, recompute());
    return x;
  }
  at::Tensor logits(const at::Tensor& x) {
    return at::linear(run_module(norm_, x), tokens_->weight);
  }

  struct Group : torch::nn::Module {};
  torch::nn::Embedding tokens_{nullptr}, positions_{nullptr};
  GptBlocks blocks_;
  torch::nn::LayerNorm norm_{nullptr};
};

}  // namespace

std::unique_ptr<Model> make_gpt(const ResolvedCase& resolved, const DataShape& data) {
  require_tokens("gpt", data);
  const bool tiny = resolved.text("model.size") == "tiny";
  GptShape shape = tiny ? GptShape{.layers = 2, .heads = 2, .width = 32}
                        : GptShape{.layers = 12, .heads = 12, .width = 768};
  if (resolved.has("model.blocks")) shape.layers = resolved.integer("model.blocks");
  return as_model(std::make_shared<Gpt>(shape, data.classes, data.input.shape[0]), resolved);
}

}  // namespace stepbench::model
