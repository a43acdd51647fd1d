// SPDX-License-Identifier: Apache-2.0
// From the numbers of a case's launches to the points of its series: the same estimates as
// harness/estimate makes, of what the history keeps of each launch. Pure; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace stepbench::track {

// What is kept of one measured launch.
struct LaunchValues {
  int launch = 0;
  std::int64_t steps = 0;
  std::map<std::string, double, std::less<>> values = {};  // by metric of a series; finite
};

struct CasePoint {
  std::string metric = {};
  double value = 0;
  double low = 0;
  double high = 0;
  std::int64_t launches = 0;
  std::int64_t steps = 0;  // in each launch; 0: they differ
};

// In order of the metrics. A step or a peak: the median over launches and its 95 % interval, which
// is the value itself where six launches are not there. A phase: that of the launches whose step is
// the case's, so that phases sum to the step.
[[nodiscard]] std::vector<CasePoint> case_points(std::span<const LaunchValues> launches);

}  // namespace stepbench::track
