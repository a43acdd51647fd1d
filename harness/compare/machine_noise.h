// SPDX-License-Identifier: Apache-2.0
// Noise of a machine: how much launches of one program differ on it, and the smallest change they
// can find. Uses launches of a few cases that were measured in rounds. Pure; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/record/reader.h"
#include "harness/stats/interval.h"

namespace stepbench::compare {

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

}  // namespace stepbench::compare
