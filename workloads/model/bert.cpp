// SPDX-License-Identifier: Apache-2.0
// BERT's encoder with its masked-language head (Devlin et al. 2019): post-norm, dropout 0.1,
// decoder tied to the word embeddings. Weights have their published names.
#include <ATen/ops/arange.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/normalization.h>

#include <algorithm>

#include "workloads/model/internal/attention.h"
#include "workloads/model/internal/network.h"
#include "workloads/model/internal/recompute.h"

namespace stepbench::model {
namespace {

struct BertShape {
  std::int64_t layers, heads, width;
};
constexpr double kBertDropout = 0.1;
constexpr std::int64_t kBertPositions = 512;

struct BertGroup : torch::nn::Module {};

Linear bert_linear(std::int64_t in, std::int64_t out) {
  Linear linear(in, out);
  torch::nn::init::normal_(linear->weight, 0, 0.02);
  torch::nn::init::zeros_(linear->bias);
  return linear;
}

torch::nn::Embedding bert_embedding(std::int64_t rows, std::int64_t width) {
  torch::nn::Embedding embedding(rows, width);
  torch::nn::init::normal_(embedding->weight, 0, 0.02);
  return embedding;
}

torch::nn::LayerNorm bert_norm(std::int64_t width) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(1e-12));
}

class BertLayer final : public torch::nn::Module {
 public:
  explicit BertLayer(const BertShape& shape) : heads_(shape.heads) {
    const std::int64_t width = shape.width;
    auto attention = register_module("attention", std::make_shared<BertGroup>());
    auto self = attention->register_module("self", std::make_shared<BertGroup>());
    query_ = self->register_module("query", bert_linear(width, width));
    key_ = self->register_module("key", bert_linear(width, width));
    value_ = self->register_module("value", bert_linear(width, width));
    auto attended = attention->register_module("output", std::make_shared<BertGroup>());
    out_ = attended->register_module("dense", bert_linear(width, width));
    norm1_ = attended->register_module("LayerNorm", bert_norm(width));
    up_ = register_module("intermediate", std::make_shared<BertGroup>())
              ->register_module("dense", bert_linear(width, 4 * width));
    auto output = register_module("output", std::make_shared<BertGroup>());
    down_ = output->register_module("dense", bert_linear(4 * width, width));
    norm2_ = output->register_module("LayerNorm", bert_norm(width));
  }
  at::Tensor forward(const at::Tensor& input) {
    const at::Tensor attended =
        attention(run_module(query_, input), run_module(key_, input), run_module(value_, input),
                  {.heads = heads_, .dropout = is_training() ? kBertDropout : 0});
    const at::Tensor out = run_module(out_, attended);
    const at::Tensor x = run_module(norm1_, at::dropout(out, kBertDropout, is_training()) + input);
    const at::Tensor y = run_module(down_, at::gelu(run_module(up_, x)));
    return run_module(norm2_, at::dropout(y, kBertDropout, is_training()) + x);
  }

 private:
  std::int64_t heads_;
  Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, out_{nullptr}, up_{nullptr},
      down_{nullptr};
  torch::nn::LayerNorm norm1_{nullptr}, norm2_{nullptr};
};

class Bert final : public Network {
 public:
  Bert(const BertShape& shape, std::int64_t vocabulary, std::int64_t positions) {
    auto bert = register_module("bert", std::make_shared<BertGroup>());
    auto embeddings = bert->register_module("embeddings", std::make_shared<BertGroup>());
    words_ =
        embeddings->register_module("word_embeddings", bert_embedding(vocabulary, shape.width));
    positions_ =
        embeddings->register_module("position_embeddings", bert_embedding(positions, shape.width));
    types_ = embeddings->register_module("token_type_embeddings", bert_embedding(2, shape.width));
    norm_ = embeddings->register_module("LayerNorm", bert_norm(shape.width));
    auto layers = bert->register_module("encoder", std::make_shared<BertGroup>())
                      ->register_module("layer", std::make_shared<BertGroup>());
    for (std::int64_t i = 0; i < shape.layers; ++i) {
      layers_.push_back(
          layers->register_module(std::to_string(i), std::make_shared<BertLayer>(shape)));
    }
    auto head = register_module("cls", std::make_shared<BertGroup>())
                    ->register_module("predictions", std::make_shared<BertGroup>());
    head_bias_ = head->register_parameter("bias", torch::zeros({vocabulary}));
    auto transform = head->register_module("transform", std::make_shared<BertGroup>());
    transform_ = transform->register_module("dense", bert_linear(shape.width, shape.width));
    transform_norm_ = transform->register_module("LayerNorm", bert_norm(shape.width));
  }
  at::Tensor forward(const at::Tensor& input) override {
    number_positions(input);
    at::Tensor x = run_module(words_, input) + run_module(types_, one_segment_.expand_as(input));
    x = x + run_module(positions_, places_);
    x = at::dropout(run_module(norm_, x), kBertDropout, is_training());
    for (const auto& layer : layers_) x = run_block(layer, x, recompute());
    x = run_module(transform_norm_, at::gelu(run_module(transform_, x)));
    return at::linear(x, words_->weight, head_bias_);
  }

 private:
  // Created once, like the buffers of the published model.
  void number_positions(const at::Tensor& input) {
    if (places_.defined() && places_.size(1) == input.size(1)) return;
    places_ = at::arange(input.size(1), input.options()).unsqueeze(0);
    one_segment_ = at::zeros({1, input.size(1)}, input.options());
  }

  at::Tensor places_, one_segment_;  // token positions 0, 1, 2, ...; token types, all 0
  torch::nn::Embedding words_{nullptr}, positions_{nullptr}, types_{nullptr};
  torch::nn::LayerNorm norm_{nullptr};
  std::vector<std::shared_ptr<BertLayer>> layers_;
  at::Tensor head_bias_;
  Linear transform_{nullptr};
  torch::nn::LayerNorm transform_norm_{nullptr};
};

}  // namespace

std::unique_ptr<Model> make_bert_base(const ResolvedCase& resolved, const DataShape& data) {
  require_tokens("bert_base", data);
  const bool tiny = resolved.text("model.size") == "tiny";
  const BertShape shape = tiny ? BertShape{.layers = 2, .heads = 2, .width = 32}
                               : BertShape{.layers = 12, .heads = 12, .width = 768};
  const std::int64_t positions =
      tiny ? data.input.shape[0] : std::max(kBertPositions, data.input.shape[0]);
  return as_model(std::make_shared<Bert>(shape, data.classes, positions), resolved);
}

}  // namespace stepbench::model
