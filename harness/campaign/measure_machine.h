// SPDX-License-Identifier: Apache-2.0
// `stepbench doctor --measure`: launches three small cases in turns for a while, without keeping
// the results, to find the smallest change that this machine can show, and stores that for the
// user.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/base/clock.h"
#include "harness/campaign/run_experiment.h"
#include "harness/compare/detectable_change.h"
#include "harness/machine/environment.h"

namespace stepbench::campaign {

// An experiment whose cases are launched in alternation; `names` are those of its cases, in order.
struct MachineCases {
  std::string yaml;
  std::vector<std::string> names;
};
// Three cases: arithmetic in the cache, weights read and written in each step, waits for workers.
[[nodiscard]] MachineCases machine_cases();

struct MachineRun {
  compare::MachineNoise noise = {};  // `machine` is not set
  std::optional<int> signal = {};    // signal that interrupted it
  std::string failed = {};           // reason of a failed launch; empty: none failed
};

// Starts no launch after `seconds`, or if the first one failed. Throws Error for user errors, such
// as a missing worker. Main thread only.
[[nodiscard]] MachineRun measure_machine(const MachineCases& cases, double seconds,
                                         RunRequest request, const CampaignContext& context,
                                         run::Progress& progress, run::Interrupts& interrupts,
                                         const Clock& clock);

// One file per user and host, since home folders are shared, in $XDG_STATE_HOME/stepbench or
// ~/.local/state/stepbench.

inline constexpr std::string_view kMachineSchema = "stepbench.machine";
inline constexpr std::string_view kMachineVersion = "1.1.0";

// Facts that identify the machine of a measurement: host, cpu.model, cores.
[[nodiscard]] Fields machine_identity(const std::filesystem::path& root);

struct StoredMachine {
  std::filesystem::path file = {};  // empty: neither XDG_STATE_HOME nor HOME is set
  std::optional<compare::MachineNoise> noise = {};
  // Why `noise` is absent although there is a file: it is of another machine, or unreadable.
  std::string problem = {};
};
[[nodiscard]] StoredMachine stored_machine(const machine::Variables& variables,
                                           const Fields& identity);

// Returns the file's path and creates its folder. Throws ConfigError with a remedy.
[[nodiscard]] std::filesystem::path place_for_machine(const machine::Variables& variables,
                                                      const Fields& identity);
// Throws ConfigError; the old file then remains.
void store_machine(const std::filesystem::path& file, const compare::MachineNoise& noise);

// Content of the file: one object on one line.
[[nodiscard]] std::string machine_json(const compare::MachineNoise& noise);

}  // namespace stepbench::campaign
