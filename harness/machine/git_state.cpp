// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/environment.h"
#include "harness/os/command.h"
#include "harness/os/text_file.h"

namespace stepbench {

Fields git_state(const std::filesystem::path& directory) {
  using namespace std::chrono_literals;
  const auto git = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"git", "--no-optional-locks", "-C", directory.string()});
    return run_command(arguments, "", 10s);
  };
  Fields fields;
  const CommandResult head = git({"rev-parse", "HEAD"});
  if (!head.started || head.exit_status != 0) return fields;
  fields.emplace("git.sha", std::string{trim(head.out)});
  const CommandResult branch = git({"rev-parse", "--abbrev-ref", "HEAD"});
  if (branch.exit_status == 0) fields.emplace("git.branch", std::string{trim(branch.out)});
  const CommandResult status = git({"status", "--porcelain", "--untracked-files=no"});
  if (status.exit_status == 0 && !status.timed_out)
    fields.emplace("git.dirty", !trim(status.out).empty());
  return fields;
}

}  // namespace stepbench
