// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace stepbench {

struct TTest {
  double t = 0;
  double degrees = 0;
  double p_two_sided = 1;
};

// Means of two samples. With a zero denominator p is 1 for equal means and 0 for others; 1 with
// fewer than two values.
[[nodiscard]] TTest welch(std::span<const double> a, std::span<const double> b);
[[nodiscard]] TTest student(std::span<const double> a,
                            std::span<const double> b);  // pooled variance

// Half the width of Student's interval about the mean; infinite with fewer than two values.
[[nodiscard]] double mean_half_width(std::span<const double> values, double confidence);

}  // namespace stepbench
