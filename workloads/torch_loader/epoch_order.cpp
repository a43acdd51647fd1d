// SPDX-License-Identifier: Apache-2.0
#include "workloads/torch_loader/epoch_order.h"

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

#include "workloads/loader/order.h"
#include "workloads/loader/sample_weights.h"

namespace stepbench {
namespace {

std::int64_t draw_seed(at::Generator& generator) {
  return at::empty({}, at::kLong).random_(generator).item<std::int64_t>();
}

std::int64_t draws_of(const OrderOptions& options) {
  return options.num_samples > 0 ? options.num_samples : options.size;
}

constexpr std::int64_t kDrawsAtOnce = 32;

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

std::vector<std::int64_t> shuffled(const OrderOptions& options, std::int64_t epoch) {
  at::Generator global = at::make_generator<at::CPUGeneratorImpl>(options.seed);
  std::int64_t sampler_seed = 0;
  for (std::int64_t e = 0; e <= epoch; ++e) {
    if (e == 0 || !options.persistent_workers) (void)draw_seed(global);
    sampler_seed = draw_seed(global);
  }
  at::Generator sampler =
      at::make_generator<at::CPUGeneratorImpl>(static_cast<std::uint64_t>(sampler_seed));
  if (options.with_replacement) return drawn(options, sampler);
  const at::Tensor order = at::randperm(options.size, sampler, at::TensorOptions(at::kLong));
  const auto* first = order.const_data_ptr<std::int64_t>();
  return {first, first + options.size};
}

// WeightedRandomSampler without a generator of its own: base seeds and draws come from one.
class WeightedEpochs {
 public:
  explicit WeightedEpochs(OrderOptions options) : options_(std::move(options)) {}

  [[nodiscard]] std::vector<std::int64_t> of(std::int64_t epoch) {
    if (epoch < next_ || !generator_.defined()) {
      generator_ = at::make_generator<at::CPUGeneratorImpl>(options_.seed);
      next_ = 0;
    }
    while (next_ < epoch) (void)draw();
    const at::Tensor order = draw();
    const auto* first = order.const_data_ptr<std::int64_t>();
    return {first, first + order.numel()};
  }

 private:
  [[nodiscard]] at::Tensor draw() {
    if (next_++ == 0 || !options_.persistent_workers) (void)draw_seed(generator_);
    const at::Tensor weights =
        at::from_blob(options_.weights.data(), {static_cast<std::int64_t>(options_.weights.size())},
                      at::TensorOptions(at::kDouble));
    return at::multinomial(weights, draws_of(options_), options_.with_replacement, generator_);
  }

  OrderOptions options_;
  at::Generator generator_;
  std::int64_t next_ = 0;  // epoch that `generator_` stands before
};

}  // namespace

EpochOrder torch_epoch_order(const OrderOptions& options) {
  if (!options.weights.empty()) {
    return [epochs = std::make_shared<WeightedEpochs>(options)](std::int64_t epoch) {
      return epochs->of(epoch);
    };
  }
  if (options.shuffle || options.with_replacement) {
    return [options](std::int64_t epoch) { return shuffled(options, epoch); };
  }
  return sequential_order(options.size);
}

EpochOrder torch_order(const Dataset& dataset, const LoaderOptions& options) {
  if (dataset.iterable() != nullptr) return {};
  return torch_epoch_order({.size = dataset.size(),
                            .num_samples = options.num_samples,
                            .shuffle = options.shuffle,
                            .with_replacement = options.with_replacement,
                            .weights = options.weights.empty() ? std::vector<double>()
                                                               : sample_weights(dataset, options),
                            .seed = options.seed,
                            .persistent_workers = options.persistent_workers});
}

}  // namespace stepbench
