// SPDX-License-Identifier: Apache-2.0
// What `stepbench doctor --measure` found, kept for the user: a file for each host, since home
// folders are shared, in $XDG_STATE_HOME/stepbench or ~/.local/state/stepbench.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/compare/machine_noise.h"
#include "harness/machine/environment.h"

namespace stepbench::campaign {

inline constexpr std::string_view kMachineSchema = "stepbench.machine";
inline constexpr std::string_view kMachineVersion = "1.1.0";

// What must not change for a measurement to be of this machine: host, cpu.model, cores.
[[nodiscard]] Fields machine_identity(const std::filesystem::path& root);

struct KeptMachine {
  std::filesystem::path file = {};  // empty: neither XDG_STATE_HOME nor HOME is set
  std::optional<compare::MachineNoise> noise = {};
  // Why there is none although there is a file: of another machine, or not to be read.
  std::string problem = {};
};
[[nodiscard]] KeptMachine kept_machine(const machine::Variables& variables, const Fields& identity);

// Where it is to be kept; makes the folder. Throws ConfigError that says what to do where that
// cannot be.
[[nodiscard]] std::filesystem::path place_for_machine(const machine::Variables& variables,
                                                      const Fields& identity);
// Throws ConfigError; the old file stays then.
void keep_machine(const std::filesystem::path& file, const compare::MachineNoise& noise);

// As it stands in the file: one object on one line.
[[nodiscard]] std::string machine_json(const compare::MachineNoise& noise);

}  // namespace stepbench::campaign
