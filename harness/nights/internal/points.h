// SPDX-License-Identifier: Apache-2.0
// Computes the points of a case's series from its launches: the same estimates as harness/estimate,
// from the values kept in the history. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace stepbench::nights {

// Values kept of one measured launch.
struct LaunchValues {
  int launch = 0;
  std::int64_t steps = 0;
  std::map<std::string, double, std::less<>> values = {};  // by series metric; finite
};

struct CasePoint {
  std::string metric = {};
  double value = 0;
  double low = 0;
  double high = 0;
  std::int64_t launches = 0;
  std::int64_t steps = 0;  // per launch; 0: they differ
};

// Sorted by metric. For a step or a peak: the median over launches with its 95 % interval, or the
// value itself with fewer than six launches. For a phase: the value of the launches whose step is
// the case's, so that phases sum to the step.
[[nodiscard]] std::vector<CasePoint> case_points(std::span<const LaunchValues> launches);

}  // namespace stepbench::nights
