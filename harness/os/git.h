// SPDX-License-Identifier: Apache-2.0
// Runs git on the repository that holds a folder. It takes no lock there, so that a command of the
// user beside it does not fail; it sees no repository, index or setting that variables name, as
// they do in hooks and aliases, and answers in plain UTF-8 whatever the user has set. Blocks the
// calling thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/os/command.h"

namespace stepbench::os {

// What `git rev-parse --local-env-vars` names.
[[nodiscard]] const std::vector<std::string>& variables_of_git();

// Throws Interrupted as run_command() does, unless it runs to its end.
[[nodiscard]] CommandResult run_git(const std::filesystem::path& folder,
                                    std::vector<std::string> arguments,
                                    std::chrono::milliseconds time_limit = std::chrono::seconds(10),
                                    bool to_its_end = false);

}  // namespace stepbench::os
