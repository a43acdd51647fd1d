// SPDX-License-Identifier: Apache-2.0
// Standard normal numbers, two from each pair of uniform ones (Box and Muller).
#pragma once

#include <cmath>
#include <numbers>

#include "harness/stats/random.h"

namespace stepbench {

class NormalDraws {
 public:
  double next(stats::Random& random) {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
    const double angle = 2 * std::numbers::pi * random.unit();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

 private:
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace stepbench
