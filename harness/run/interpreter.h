// SPDX-License-Identifier: Apache-2.0
// Which Python runs a user's files.
#pragma once

#include <string>
#include <string_view>

#include "harness/machine/devices.h"

namespace stepbench::run {

// The variable that names the interpreter; --interpreter sets it for the workers.
inline constexpr std::string_view kInterpreterVariable = "STEPBENCH_PYTHON";

// What kInterpreterVariable names, else the active environment's (venv, uv, conda), else python3 of
// PATH. Throws ConfigError that says what to do.
[[nodiscard]] std::string find_interpreter(const machine::Variables& environment);

}  // namespace stepbench::run
