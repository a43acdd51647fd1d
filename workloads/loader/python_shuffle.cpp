// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/python_shuffle.h"

#include <memory>
#include <numeric>
#include <random>
#include <utility>

namespace stepbench::loader {
namespace {

// torch's CPU generator is the standard's, seeded with the low 32 bits.
std::mt19937 torch_generator(std::uint64_t seed) {
  return std::mt19937(static_cast<std::uint32_t>(seed));
}

// tensor.random_() of one int64: two draws, high half first, without the sign bit.
std::uint64_t draw_seed(std::mt19937& generator) {
  const std::uint64_t high = generator();
  const std::uint64_t low = generator();
  return (high << 32U | low) & INT64_MAX;
}

// torch.randperm.
std::vector<std::int64_t> permutation(std::int64_t samples, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::mt19937 generator = torch_generator(seed);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    std::swap(order[i], order[i + generator() % (order.size() - i)]);
  }
  return order;
}

class Shuffles {
 public:
  Shuffles(std::int64_t samples, std::uint64_t seed, bool one_iterator)
      : samples_(samples), seed_(seed), one_iterator_(one_iterator) {}

  [[nodiscard]] std::vector<std::int64_t> of(std::int64_t epoch) {
    if (epoch < next_ || next_ == 0) {
      generator_ = torch_generator(seed_);
      next_ = 0;
    }
    std::uint64_t sampler_seed = 0;
    for (; next_ <= epoch; ++next_) {
      // Each iterator first draws its workers' base seed.
      if (next_ == 0 || !one_iterator_) (void)draw_seed(generator_);
      sampler_seed = draw_seed(generator_);
    }
    return permutation(samples_, sampler_seed);
  }

 private:
  std::int64_t samples_;
  std::uint64_t seed_;
  bool one_iterator_;
  std::mt19937 generator_;
  std::int64_t next_ = 0;  // next epoch that generator_ would draw
};

}  // namespace

EpochOrder python_shuffle(std::int64_t samples, std::uint64_t seed, bool one_iterator) {
  return [shuffles = std::make_shared<Shuffles>(samples, seed, one_iterator)](std::int64_t epoch) {
    return shuffles->of(epoch);
  };
}

}  // namespace stepbench::loader
