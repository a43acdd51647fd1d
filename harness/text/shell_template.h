// SPDX-License-Identifier: Apache-2.0
// Commands for a shell with holes such as {worktree}. What fills a hole is never a part of the
// command's text, where a shell would read it: it is the value of a variable. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stepbench::text {

struct ShellHole {
  std::string_view name;      // "{worktree}"
  std::string_view variable;  // that the command's environment has: "STEPBENCH_WORKTREE"
};

// `command` for a POSIX shell, with a use of the variable for each hole: one word, or a part of
// one, whatever the value holds, inside of quotes and outside.
[[nodiscard]] std::string with_variables(std::string_view command,
                                         std::span<const ShellHole> holes);

// Whether a hole stands behind `sh -c` or `eval`, which read its value as text of a command after
// all: a value that text::shell_word() has to quote must not be filled in there.
[[nodiscard]] bool is_read_again(std::string_view command, std::span<const ShellHole> holes);

}  // namespace stepbench::text
