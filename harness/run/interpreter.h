// SPDX-License-Identifier: Apache-2.0
// Selects the Python interpreter for a user's files.
#pragma once

#include <string>
#include <string_view>

#include "harness/machine/devices.h"

namespace stepbench::run {

// Environment variable that names the interpreter; --interpreter sets it for the workers.
inline constexpr std::string_view kInterpreterVariable = "STEPBENCH_PYTHON";

// Returns the interpreter that kInterpreterVariable names, else that of the active environment
// (venv, uv, conda), else python3 from PATH. Throws ConfigError with a remedy.
[[nodiscard]] std::string find_interpreter(const machine::Variables& environment);

}  // namespace stepbench::run
