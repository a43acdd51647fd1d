// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>

namespace stepbench {

// A fixed amount of work: a chain of multiplications that the compiler cannot shorten.
inline void spin(std::int64_t rounds) {
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i < rounds; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    benchmark::DoNotOptimize(state);
  }
}

}  // namespace stepbench
