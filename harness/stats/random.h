// SPDX-License-Identifier: Apache-2.0
// Reproducible random draws on every machine: the standard generators are portable, the standard
// distributions and shuffle are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>

namespace stepbench::stats {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  [[nodiscard]] std::uint64_t bits() { return engine_(); }

  // Uniform in [0, bound), bound >= 1, without bias: Lemire's multiply and reject,
  // https://arxiv.org/abs/1805.10941.
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{half()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t reject_below = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < reject_below) {
        product = std::uint64_t{half()} * bound;
      }
    }
    return static_cast<std::uint32_t>(product >> 32U);
  }

  // Uniform in [0, 1), 53 bits.
  [[nodiscard]] double unit() { return static_cast<double>(bits() >> 11U) * 0x1p-53; }

  // Fisher and Yates, from the end.
  template <typename T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[below(static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  std::uint32_t half() {
    if (has_rest_) {
      has_rest_ = false;
      return rest_;
    }
    const std::uint64_t both = engine_();
    rest_ = static_cast<std::uint32_t>(both);
    has_rest_ = true;
    return static_cast<std::uint32_t>(both >> 32U);
  }

  std::mt19937_64 engine_;
  std::uint32_t rest_ = 0;
  bool has_rest_ = false;
};

// A seed that depends on every bit of the values and on their order.
[[nodiscard]] std::uint64_t seed_of(std::span<const double> values, std::uint64_t start = 0);

}  // namespace stepbench::stats
