// SPDX-License-Identifier: Apache-2.0
// How many launches of how many steps find a change at the least cost. Pure; any thread.
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

// What finds a change of this size in four of five comparisons, for cases of any noise. More steps
// help while the steps make the noise, and cost the less the longer a launch takes to begin
// (Kalibera and Jones 2013): of each number of launches the fewest steps that suffice, and of these
// the cheapest.
class LaunchDesigns {
 public:
  static constexpr std::size_t kMostLaunches = 200;

  // `size.launches` is not used. `change` above size.margin.
  LaunchDesigns(const ComparisonSize& size, double change);

  // nullopt: `noise` has no step_sd or no overhead, or 200 launches do not find it.
  [[nodiscard]] std::optional<LaunchDesign> cheapest(const estimate::CaseNoise& noise) const;

 private:
  std::vector<std::pair<std::size_t, double>> largest_sd_;  // of launches, by their number
};

[[nodiscard]] double cost_ns(const estimate::CaseNoise& noise, double launches, double steps);

}  // namespace stepbench::compare
