// SPDX-License-Identifier: Apache-2.0
// Repeats constant work to measure the variation of its duration.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/base/clock.h"

namespace stepbench::machine {

struct Spin {
  std::vector<double> times_ns = {};
  [[nodiscard]] double median_ns() const;
  [[nodiscard]] double variation() const;  // standard deviation over mean
  [[nodiscard]] double slowest() const;    // 99th percentile over median
};
// Runs `work` for about `total_ns` and times each run; `work` should take about 2 ms.
[[nodiscard]] Spin spin(const Clock& clock, const std::function<void()>& work,
                        std::int64_t total_ns);
void spin_work();  // about 2 ms of integer arithmetic in registers

}  // namespace stepbench::machine
