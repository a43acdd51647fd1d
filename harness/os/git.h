// SPDX-License-Identifier: Apache-2.0
// Runs git on the repository that holds a folder. It takes no lock there, so that a command of the
// user beside it does not fail. Blocks the calling thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/os/command.h"

namespace stepbench::os {

[[nodiscard]] CommandResult run_git(
    const std::filesystem::path& folder, std::vector<std::string> arguments,
    std::chrono::milliseconds time_limit = std::chrono::seconds(10));

}  // namespace stepbench::os
