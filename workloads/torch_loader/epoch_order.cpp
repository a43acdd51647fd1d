// SPDX-License-Identifier: Apache-2.0
#include "workloads/torch_loader/epoch_order.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randperm.h>

#include <algorithm>

#include "workloads/loader/order.h"

namespace stepbench {
namespace {

std::int64_t draw_seed(at::Generator& generator) {
  return at::empty({}, at::kLong).random_(generator).item<std::int64_t>();
}

constexpr std::int64_t kDrawsAtOnce = 32;

// RandomSampler with replacement: blocks of 32 from randint, then the rest.
std::vector<std::int64_t> drawn(std::int64_t size, at::Generator& generator) {
  std::vector<std::int64_t> order;
  order.reserve(static_cast<std::size_t>(size));
  while (static_cast<std::int64_t>(order.size()) < size) {
    const std::int64_t left = size - static_cast<std::int64_t>(order.size());
    const at::Tensor block =
        at::randint(size, {std::min(kDrawsAtOnce, left)}, generator, at::TensorOptions(at::kLong));
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
  if (options.with_replacement) return drawn(options.size, sampler);
  const at::Tensor order = at::randperm(options.size, sampler, at::TensorOptions(at::kLong));
  const auto* first = order.const_data_ptr<std::int64_t>();
  return {first, first + options.size};
}

}  // namespace

EpochOrder torch_epoch_order(const OrderOptions& options) {
  if (options.shuffle || options.with_replacement) {
    return [options](std::int64_t epoch) { return shuffled(options, epoch); };
  }
  return sequential_order(options.size);
}

}  // namespace stepbench
