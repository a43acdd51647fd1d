// SPDX-License-Identifier: Apache-2.0
// Finds the cheapest number of launches and steps that detects a change. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "harness/compare/power.h"
#include "harness/estimate/noise.h"

namespace stepbench::compare {

struct LaunchDesign {
  std::size_t launches = 0;  // of each side
  std::int64_t steps = 0;    // of each launch
  double cost_ns = 0;        // of one side
};

// Designs that find a change of this size in four of five comparisons, for any noise. More steps
// help only against noise of the steps, and are the better value the longer a launch takes to start
// (Kalibera and Jones 2013): for each number of launches takes the fewest steps that suffice, and
// of these the cheapest.
class LaunchDesigns {
 public:
  static constexpr std::size_t kMaxLaunches = 200;

  // `size.launches` is ignored. `change` must be above size.margin.
  LaunchDesigns(const ComparisonSize& size, double change);

  // nullopt if `noise` lacks step_sd or the overhead, or if 200 launches do not find it.
  [[nodiscard]] std::optional<LaunchDesign> cheapest(const estimate::CaseNoise& noise) const;

 private:
  std::vector<std::pair<std::size_t, double>> largest_sd_;  // by number of launches
};

[[nodiscard]] double cost_ns(const estimate::CaseNoise& noise, double launches, double steps);

}  // namespace stepbench::compare
