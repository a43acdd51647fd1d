// SPDX-License-Identifier: Apache-2.0
// What a machine can show: how far launches of one program lie apart there, and how small a change
// they can find. From launches of a few cases that were measured in rounds. Pure; any thread.
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
  std::optional<double> step_sd = {};  // of one step within a launch; nullopt: windows too short
  double launch_sd = 0;                // from one launch of the case to its next
  double minutes_sd = 0;               // what comes on top of it over the whole measurement
  double found_by_10 = 0;              // pairs of `ab`, see change_found_by_pairs()
  double found_by_40 = 0;
  double aa_change = 0;  // the launches as two arms in turns; they run the same program
  stats::Interval aa_interval = {};
  bool differs = false;  // these arms were told apart, which is false
};

struct MachineNoise {
  std::string measured_utc = {};
  Fields machine = {};  // host, cpu.model, cores
  double seconds = 0;
  std::optional<double> steal_share = {};   // median over the launches
  std::optional<double> others_share = {};  // of the CPUs, by other programs
  std::vector<CaseSpread> cases = {};       // in their order in `names`
  std::vector<std::string> too_few = {};    // cases with fewer than kFewestForSpread launches
};
inline constexpr std::size_t kFewestForSpread = 6;

// `names`: by case id. Launches that were not measured do not count. What the results do not hold
// (time, machine, seconds) is left empty.
[[nodiscard]] MachineNoise machine_noise(const record::Results& results,
                                         const std::map<std::string, std::string>& names);

// "this machine showed 0.4 to 1.2 % between launches on 2026-11-23 (stepbench doctor --measure): 10
// pairs find 1.5 to 2.9 %, 40 pairs 1.2 to 1.8 %". There is a case.
[[nodiscard]] std::string to_text(const MachineNoise& noise);

}  // namespace stepbench::compare
