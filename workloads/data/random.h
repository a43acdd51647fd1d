// SPDX-License-Identifier: Apache-2.0
// Random numbers that do not depend on the thread that draws them, and emulated work of known
// duration: waiting, computing, random durations. Any thread; a generator is a value type.
//
// The generator is Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3",
// SC'11): its numbers are a function of key and counter.
#pragma once

#include <array>
#include <cstdint>

namespace stepbench::data {

class Philox {
 public:
  // `seed` is the key; (stream, substream) names one sequence of 2^34 numbers.
  constexpr Philox(std::uint64_t seed, std::uint64_t stream, std::uint32_t substream = 0)
      : key_{low(seed), high(seed)}, counter_{0, substream, low(stream), high(stream)} {}

  constexpr std::uint32_t next() {
    if (used_ == 4) {
      block_ = rounds(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }
  constexpr std::uint64_t next64() {
    const std::uint64_t first = next();
    return first << 32 | next();
  }
  // Uniform in [0, 1), 53 bits.
  constexpr double uniform() { return static_cast<double>(next64() >> 11) * 0x1p-53; }
  // Uniform in [0, bound); bound > 0. Multiply-shift with rejection (Lemire 2019): no bias.
  constexpr std::uint64_t below(std::uint64_t bound) {
    for (;;) {
      const Wide product = static_cast<Wide>(next64()) * bound;
      const auto remainder = static_cast<std::uint64_t>(product);
      if (remainder >= bound || remainder >= (0 - bound) % bound)
        return static_cast<std::uint64_t>(product >> 64);
    }
  }

  using Block = std::array<std::uint32_t, 4>;
  [[nodiscard]] static constexpr Block rounds(Block counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
      const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
      counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
      key[0] += 0x9E3779B9;
      key[1] += 0xBB67AE85;
    }
    return counter;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  static constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
  static constexpr std::uint32_t high(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32);
  }

  std::array<std::uint32_t, 2> key_;
  Block counter_;
  Block block_{};
  unsigned used_ = 4;
};

// Emulated work of known duration: waiting, computing, and random durations. Any thread.

// Sleeps. The kernel wakes it some 60 us late.
void sleep_us(double us);
// Waits accurately to some microseconds, by busy-waiting at the end.
void sleep_exactly_us(double us);
// Consumes this much CPU time on this thread, so that more threads than cores slow each other down
// as real work does.
void spin_us(double us);

[[nodiscard]] double standard_normal(Philox& random);
// Gamma distribution with mean 1 and shape k; its coefficient of variation is 1 / sqrt(k).
[[nodiscard]] double unit_gamma(Philox& random, double k);

}  // namespace stepbench::data
