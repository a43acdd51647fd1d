// SPDX-License-Identifier: Apache-2.0
// Starts a worker inside a Python interpreter: stepbench-worker reads the case and, if it needs
// Python, becomes `PYTHON stepbench_host.py ...` by exec. The process and its descriptors stay the
// same; the host imports torch, loads the module next to it and calls the worker's main function
// again. This file uses neither Python nor torch.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/environment.h"

namespace stepbench::python {

// Interpreters to try; the first suitable one is used: only the one in kInterpreterVariable, or
// only the active environment's (venv, uv, conda), or `python3` of PATH and then `of_build`.
[[nodiscard]] std::vector<std::string> interpreters(const machine::Variables& variables,
                                                    const std::string& of_build);

struct HostCommand {
  std::vector<std::string> argv = {};  // argv[0]: the interpreter's path
  std::string reason = {};             // why no interpreter is suitable; argv is then empty
};
// `worker`: this program's file; `arguments`: its arguments, without its name.
[[nodiscard]] HostCommand host_command(const std::filesystem::path& worker,
                                       std::span<const char* const> arguments,
                                       const machine::Variables& variables);

// Returns the case for a worker with these arguments without consuming it: from a socket, a file,
// or standard input, which is read completely and put back. Empty if there is none.
[[nodiscard]] std::string peek_case(std::span<const char* const> arguments);

// Becomes the host if the case needs it. Returns an empty text if it does not, or the reason why it
// cannot.
[[nodiscard]] std::string exec_python_host(std::span<const char* const> arguments,
                                           const machine::Variables& variables);

}  // namespace stepbench::python
