// SPDX-License-Identifier: Apache-2.0
// Runs git on the repository that contains a folder. It takes no lock, so that concurrent commands
// of the user do not fail; it ignores variables that name a repository, index or setting, as hooks
// and aliases set them; its output is plain UTF-8 whatever the user's settings. Blocks the calling
// thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/os/command.h"

namespace stepbench::os {

// The output of `git rev-parse --local-env-vars`.
[[nodiscard]] const std::vector<std::string>& variables_of_git();

// Throws Interrupted as run_command() does, unless `defers_signals` is set.
[[nodiscard]] CommandResult run_git(const std::filesystem::path& folder,
                                    std::vector<std::string> arguments,
                                    std::chrono::milliseconds time_limit = std::chrono::seconds(10),
                                    bool defers_signals = false);

}  // namespace stepbench::os
