// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/torch_order.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/multinomial.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randperm.h>
#include <algorithm>
#include <memory>
#include <utility>

#include "workloads/loader/batches.h"

namespace stepbench::transfer {
namespace {

std::int64_t draw_seed(at::Generator& generator) {
  return at::empty({}, at::kLong).random_(generator).item<std::int64_t>();
}

std::int64_t draws_of(const OrderOptions& options) {
  return options.num_samples > 0 ? options.num_samples : options.size;
}

constexpr std::int64_t kDrawsAtOnce = 32;

std::vector<std::int64_t> to_vector(const at::Tensor& order) {
  const auto* first = order.const_data_ptr<std::int64_t>();
  return {first, first + order.numel()};
}

// RandomSampler with replacement: blocks of 32 from randint, then the rest.
std::vector<std::int64_t> drawn(const OrderOptions& options, at::Generator& generator) {
  const std::int64_t draws = draws_of(options);
  std::vector<std::int64_t> order;
  order.reserve(static_cast<std::size_t>(draws));
  while (static_cast<std::int64_t>(order.size()) < draws) {
    const std::int64_t left = draws - static_cast<std::int64_t>(order.size());
    const at::Tensor block = at::randint(options.size, {std::min(kDrawsAtOnce, left)}, generator,
                                         at::TensorOptions(at::kLong));
    const auto* first = block.const_data_ptr<std::int64_t>();
    order.insert(order.end(), first, first + block.numel());
  }
  return order;
}

// Simulates the draws of successive epochs from torch's default generator.
class Epochs {
 public:
  explicit Epochs(OrderOptions options) : options_(std::move(options)) {}

  [[nodiscard]] std::vector<std::int64_t> of(std::int64_t epoch) {
    if (epoch < next_ || !generator_.defined()) {
      generator_ = at::make_generator<at::CPUGeneratorImpl>(options_.seed);
      next_ = 0;
    }
    return options_.weights.empty() ? by_seed(epoch) : by_weight(epoch);
  }

 private:
  void begin() {
    if (next_++ == 0 || !options_.one_iterator) (void)draw_seed(generator_);  // the base seed
  }

  // RandomSampler draws a seed, and everything else from its own generator.
  [[nodiscard]] std::vector<std::int64_t> by_seed(std::int64_t epoch) {
    std::int64_t seed = 0;
    while (next_ <= epoch) {
      begin();
      seed = draw_seed(generator_);
    }
    auto sampler = at::make_generator<at::CPUGeneratorImpl>(static_cast<std::uint64_t>(seed));
    if (options_.with_replacement) return drawn(options_, sampler);
    return to_vector(at::randperm(options_.size, sampler, at::TensorOptions(at::kLong)));
  }

  // WeightedRandomSampler without its own generator.
  [[nodiscard]] std::vector<std::int64_t> by_weight(std::int64_t epoch) {
    while (next_ < epoch) (void)draw();
    return to_vector(draw());
  }
  [[nodiscard]] at::Tensor draw() {
    begin();
    const at::Tensor weights =
        at::from_blob(options_.weights.data(), {static_cast<std::int64_t>(options_.weights.size())},
                      at::TensorOptions(at::kDouble));
    return at::multinomial(weights, draws_of(options_), options_.with_replacement, generator_);
  }

  OrderOptions options_;
  at::Generator generator_;
  std::int64_t next_ = 0;  // next epoch of `generator_`
};

}  // namespace

loader::EpochOrder torch_epoch_order(const OrderOptions& options) {
  if (options.weights.empty() && !options.shuffle && !options.with_replacement) {
    return loader::sequential_order(options.size);
  }
  return [epochs = std::make_shared<Epochs>(options)](std::int64_t epoch) {
    return epochs->of(epoch);
  };
}

loader::EpochOrder torch_order(const data::Dataset& dataset, const loader::LoaderOptions& options) {
  if (dataset.size() < 0) return {};
  return torch_epoch_order({.size = dataset.size(),
                            .num_samples = options.num_samples,
                            .shuffle = options.shuffle,
                            .with_replacement = options.with_replacement,
                            .weights = options.weights.empty()
                                           ? std::vector<double>()
                                           : loader::sample_weights(dataset, options),
                            .seed = options.seed,
                            .one_iterator = options.joined || options.persistent_workers});
}

}  // namespace stepbench::transfer
