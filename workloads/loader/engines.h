// SPDX-License-Identifier: Apache-2.0
// The table of all engines, in the order of the catalogue: the one place that names them.
#pragma once

#include <string_view>
#include <vector>

#include "workloads/loader/engine.h"

namespace stepbench::loader {

// Engines that need torch are there to be planned with; a program that links it makes them from a
// table of its own.
[[nodiscard]] const std::vector<Engine>& engines();

// The row of that name, or null.
[[nodiscard]] const Engine* find_engine(const std::vector<Engine>& table, std::string_view name);
// What loader.engine names. Throws ConfigError("loader.engine", ...) if it is none of the table.
[[nodiscard]] const Engine& engine_of(const ResolvedCase& resolved);

}  // namespace stepbench::loader
