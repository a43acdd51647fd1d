// SPDX-License-Identifier: Apache-2.0
#include "harness/run/interpreter.h"

#include "harness/base/error.h"
#include "harness/run/worker_process.h"

namespace stepbench::run {

std::string find_interpreter(const machine::Variables& environment) {
  const auto value_of = [&](std::string_view name) {
    return std::string(machine::find_variable(environment, name).value_or(""));
  };
  std::string program = value_of(kInterpreterVariable);
  for (const char* active : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string folder = value_of(active);
    if (program.empty() && !folder.empty()) program = folder + "/bin/python";
  }
  try {
    return resolve_program(program.empty() ? "python3" : program, environment);
  } catch (const ConfigError& error) {
    throw ConfigError("no Python interpreter",
                      std::string(error.what()) +
                          "; activate an environment (venv, conda or uv), or name one with "
                          "--interpreter PATH, as in --interpreter .venv/bin/python");
  }
}

}  // namespace stepbench::run
