// SPDX-License-Identifier: Apache-2.0
// Shell commands with placeholders such as {worktree}. A placeholder's value never becomes part of
// the command's text, where the shell would parse it, but is passed in an environment variable.
// Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stepbench::bisect {

struct ShellHole {
  std::string_view name;      // "{worktree}"
  std::string_view variable;  // set in the command's environment: "STEPBENCH_WORKTREE"
};

// Returns `command` for a POSIX shell with each placeholder replaced by a use of its variable,
// quoted so that it is one word or a part of one whatever the value, inside and outside of quotes.
[[nodiscard]] std::string with_variables(std::string_view command,
                                         std::span<const ShellHole> holes);

// True if a placeholder follows `sh -c` or `eval`, which parse its value as a command after all: do
// not fill in a value that text::shell_word() has to quote.
[[nodiscard]] bool is_read_again(std::string_view command, std::span<const ShellHole> holes);

}  // namespace stepbench::bisect
