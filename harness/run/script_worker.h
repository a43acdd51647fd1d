// SPDX-License-Identifier: Apache-2.0
// The worker of the workload python_script: a Python program beside this one that runs the user's
// script with the user's interpreter. Torch-free, and independent of the torch that this project is
// built with.
#pragma once

#include <filesystem>

#include "harness/run/worker_program.h"

namespace stepbench::run {

inline constexpr const char* kScriptWorkload = "python_script";

// In the build folder, an installation or a wheel, as seen from this program's folder. Its build id
// is of all of its files. Throws ConfigError.
[[nodiscard]] WorkerProgram find_script_worker(const std::filesystem::path& program_dir);

// Whether a recorded worker's path is that of this program, wherever it lies.
[[nodiscard]] bool is_script_worker(const std::filesystem::path& worker);

}  // namespace stepbench::run
