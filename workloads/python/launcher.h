// SPDX-License-Identifier: Apache-2.0
// How a worker comes to run inside a Python interpreter: stepbench-worker looks at the case that it
// is given and, where that needs Python, becomes `PYTHON stepbench_host.py ...` by exec. The
// process stays the same one, with its descriptors; the host imports torch, loads the module beside
// it and calls the worker's main function again. No Python and no torch in this file.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/devices.h"

namespace stepbench::python {

// Interpreters to try, the first one that fits is used: what kInterpreterVariable names alone, or
// the active environment's (venv, uv, conda) alone, or `python3` of PATH and then `of_build`.
[[nodiscard]] std::vector<std::string> interpreters(const machine::Variables& variables,
                                                    const std::string& of_build);

struct HostCommand {
  std::vector<std::string> argv = {};  // argv[0]: the interpreter's path
  std::string reason = {};             // argv is empty: why no interpreter can carry on
};
// `worker`: this program's file; `arguments`: what it was given, without its name.
[[nodiscard]] HostCommand host_command(const std::filesystem::path& worker,
                                       std::span<const char* const> arguments,
                                       const machine::Variables& variables);

// The case that a worker with these arguments will be given, without taking it away: from a socket,
// a file, or standard input, which is then read whole and put back. Nothing where there is none.
[[nodiscard]] std::string peek_case(std::span<const char* const> arguments);

// Becomes the host where the case needs it. Returns where it does not, or with the reason why it
// cannot.
[[nodiscard]] std::string become_python_host(std::span<const char* const> arguments,
                                             const machine::Variables& variables);

}  // namespace stepbench::python
