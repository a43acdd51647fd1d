// SPDX-License-Identifier: Apache-2.0
// Series of step times with known noise, the same on every machine.
#pragma once

#include <numbers>

#include "harness/stats/random.h"
#include "tests/testing.h"

namespace stepbench {

class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed) {}

  double unit() { return random_.unit(); }

  double normal() {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - random_.unit()));
    return radius * std::cos(2 * std::numbers::pi * random_.unit());
  }

  // Level 1,000; neighbours correlate by `lag_1`, each value has the coefficient of variation `cv`.
  std::vector<double> autoregressive(std::size_t n, double lag_1, double cv) {
    std::vector<double> values(n);
    double state = normal();
    for (double& value : values) {
      value = 1000 * std::exp(cv * state);
      state = lag_1 * state + std::sqrt(1 - lag_1 * lag_1) * normal();
    }
    return values;
  }

  // Steps with `workers` that deliver at the same time: one long wait, then ready batches. Their
  // turns take `workers` x 1,000 with a coefficient of variation of `cv`.
  std::vector<double> lockstep(std::size_t turns, std::size_t workers, double cv) {
    std::vector<double> values;
    for (std::size_t turn = 0; turn < turns; ++turn) {
      const double ready = 20;
      const double rest = ready * static_cast<double>(workers - 1);
      values.push_back(1000 * static_cast<double>(workers) * (1 + cv * normal()) - rest);
      values.insert(values.end(), workers - 1, ready);
    }
    return values;
  }

 private:
  stats::Random random_;
};

}  // namespace stepbench
