// SPDX-License-Identifier: Apache-2.0
// The table of all engines, in catalogue order; no other place names them.
#pragma once

#include <string_view>
#include <vector>

#include "workloads/loader/engine.h"

namespace stepbench::loader {

// Includes engines that need torch, for planning; programs that link torch make them from their own
// table.
[[nodiscard]] const std::vector<Engine>& engines();

// Returns null if `table` has no engine of that name.
[[nodiscard]] const Engine* find_engine(const std::vector<Engine>& table, std::string_view name);
// The engine that loader.engine names. Throws ConfigError("loader.engine", ...) if it is unknown.
[[nodiscard]] const Engine& engine_of(const ResolvedCase& resolved);

}  // namespace stepbench::loader
