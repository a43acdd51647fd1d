// SPDX-License-Identifier: Apache-2.0
// Stores results of `stepbench doctor --measure` per user: one file per host, since home folders
// are shared, in $XDG_STATE_HOME/stepbench or ~/.local/state/stepbench.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/compare/machine_noise.h"
#include "harness/machine/environment.h"

namespace stepbench::campaign {

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
