// SPDX-License-Identifier: Apache-2.0
// How small a change a comparison can find, from its launches and their spread and from the noise
// of this machine, and how many launches and steps find a given change at the least cost. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/estimate/noise.h"
#include "harness/record/result_file.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::verdict {

struct ComparisonSize {
  std::size_t launches = 0;  // of each side
  std::size_t tests = 1;     // in one correction
  double margin = 0.01;
  double q = 0.05;
};

// Relative change that `compare` claims in about four of five comparisons if it is the only one
// among its tests. `launch_sd`: relative standard deviation between launches of one program.
// Approximate, erring on the large side. nullopt: with so few launches no change can be proved.
[[nodiscard]] std::optional<double> change_found(const ComparisonSize& size, double launch_sd);

// As change_found() for `ab` with so many pairs and one test.
[[nodiscard]] double change_found_by_pairs(std::size_t pairs, double launch_sd,
                                           double margin = 0.01);

// Standard deviation of the log step between launches, for each of `cases` with at least three
// measured launches; from the first arm that has them.
[[nodiscard]] std::map<std::string, double> launch_spreads(const record::Results& results,
                                                           const std::set<std::string>& cases);

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

// Noise of a machine: how much launches of one program differ on it, and the smallest change that
// they can find. Measured with launches of a few cases in rounds.

// Spreads are relative standard deviations.
struct CaseSpread {
  std::string name = {};
  std::size_t launches = 0;
  double step_ns = 0;
  std::optional<double> step_sd = {};  // of steps within a launch; nullopt: windows too short
  double launch_sd = 0;                // between consecutive launches of the case
  double minutes_sd = 0;               // additional spread over the whole measurement
  double found_by_10 = 0;              // by 10 pairs of `ab`, see change_found_by_pairs()
  double found_by_40 = 0;
  double aa_change = 0;  // A/A change, with the launches as alternating arms of one program
  stats::Interval aa_interval = {};
  bool differs = false;  // A/A arms were found to differ: a false positive
};

struct MachineNoise {
  std::string measured_utc = {};
  Fields machine = {};  // host, cpu.model, cores
  double seconds = 0;
  std::optional<double> steal_share = {};   // median over launches
  std::optional<double> others_share = {};  // share of the CPUs used by other programs
  std::vector<CaseSpread> cases = {};       // in the order of `names`
  std::vector<std::string> too_few = {};    // cases with fewer than kMinLaunchesForSpread launches
};
inline constexpr std::size_t kMinLaunchesForSpread = 6;

// `names`: by case id. Ignores launches that were not measured. Values missing in the results
// (time, machine, seconds) stay empty.
[[nodiscard]] MachineNoise machine_noise(const record::Results& results,
                                         const std::map<std::string, std::string>& names);

// "this machine showed 0.4 to 1.2 % between launches on 2026-11-23 (stepbench doctor --measure): 10
// pairs find 1.5 to 2.9 %, 40 pairs 1.2 to 1.8 %". Requires at least one case.
[[nodiscard]] std::string to_text(const MachineNoise& noise);

}  // namespace stepbench::verdict
