// SPDX-License-Identifier: Apache-2.0
#include "harness/os/git.h"

namespace stepbench::os {

const std::vector<std::string>& variables_of_git() {
  static const std::vector<std::string> names = {"GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                                 "GIT_COMMON_DIR",
                                                 "GIT_CONFIG",
                                                 "GIT_CONFIG_COUNT",
                                                 "GIT_CONFIG_PARAMETERS",
                                                 "GIT_DIR",
                                                 "GIT_GRAFT_FILE",
                                                 "GIT_IMPLICIT_WORK_TREE",
                                                 "GIT_INDEX_FILE",
                                                 "GIT_INTERNAL_SUPER_PREFIX",
                                                 "GIT_NO_REPLACE_OBJECTS",
                                                 "GIT_OBJECT_DIRECTORY",
                                                 "GIT_PREFIX",
                                                 "GIT_REPLACE_REF_BASE",
                                                 "GIT_SHALLOW_FILE",
                                                 "GIT_WORK_TREE"};
  return names;
}

CommandResult run_git(const std::filesystem::path& folder, std::vector<std::string> arguments,
                      std::chrono::milliseconds time_limit, bool defers_signals) {
  arguments.insert(arguments.begin(), {"git", "--no-optional-locks", "-c", "color.ui=false", "-c",
                                       "i18n.logOutputEncoding=UTF-8", "-c",
                                       "log.showSignature=false", "-C", folder.string()});
  return run_command(arguments, "", time_limit,
                     {.unset = variables_of_git(), .defers_signals = defers_signals});
}

}  // namespace stepbench::os
