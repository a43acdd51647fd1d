// SPDX-License-Identifier: Apache-2.0
// Worker of the workload python_script: a Python program next to this one that runs the user's
// script with the user's interpreter. Does not depend on the torch that this project is built with.
#pragma once

#include <filesystem>

#include "harness/run/worker_program.h"

namespace stepbench::run {

inline constexpr const char* kScriptWorkload = "python_script";

// Finds it in the build folder, an installation or a wheel, relative to this program's folder. Its
// build id covers all of its files. Throws ConfigError.
[[nodiscard]] WorkerProgram find_script_worker(const std::filesystem::path& program_dir);

// Returns whether a recorded worker's path is that of this program, in any location.
[[nodiscard]] bool is_script_worker(const std::filesystem::path& worker);

}  // namespace stepbench::run
