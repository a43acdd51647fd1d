// SPDX-License-Identifier: Apache-2.0
// The content of generated sets other than photographs: a function of seed and position, so that
// any reader can be checked and several formats can have the same content. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "workloads/data/philox.h"

namespace stepbench::data {

inline constexpr std::uint32_t kRecordDraws = 6;  // Philox sequences of one seed
inline constexpr std::uint32_t kMadeTokenDraws = 7;

// Noise over stripes whose width depends on the class, which a model can learn.
inline void made_record(std::uint64_t seed, std::int64_t index, std::int64_t label,
                        std::span<std::byte> out) {
  Philox random(seed, static_cast<std::uint64_t>(index), kRecordDraws);
  const auto stripe = static_cast<std::size_t>(label % 16 + 1);
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    bits = i % 4 == 0 ? random.next() : bits >> 8;
    const std::uint32_t light = i / stripe % 2 == 0 ? 128 : 0;
    out[i] = static_cast<std::byte>(light + (bits & 127));
  }
}

// Every second token is a function of the one before it, which a model can learn.
inline std::int64_t made_token(std::uint64_t seed, std::int64_t position, std::int64_t vocabulary) {
  Philox random(seed, static_cast<std::uint64_t>(position / 2), kMadeTokenDraws);
  const auto first =
      static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(vocabulary)));
  return position % 2 == 0 ? first : (first * 7 + 1) % vocabulary;
}

}  // namespace stepbench::data
