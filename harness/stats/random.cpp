// SPDX-License-Identifier: Apache-2.0
#include "harness/stats/random.h"

#include <bit>

namespace stepbench::stats {
namespace {

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

std::uint64_t seed_of(std::span<const double> values, std::uint64_t start) {
  std::uint64_t state = mix(start + values.size() + 0x9e3779b97f4a7c15U);
  for (const double value : values) {
    state = mix(state + std::bit_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15U);
  }
  return state;
}

}  // namespace stepbench::stats
