// SPDX-License-Identifier: Apache-2.0
#include "harness/os/git.h"

namespace stepbench::os {

CommandResult run_git(const std::filesystem::path& folder, std::vector<std::string> arguments,
                      std::chrono::milliseconds time_limit) {
  arguments.insert(arguments.begin(), {"git", "--no-optional-locks", "-C", folder.string()});
  return run_command(arguments, "", time_limit);
}

}  // namespace stepbench::os
