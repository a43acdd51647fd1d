// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/environment.h"
#include "workloads/python/launcher.h"
#include "workloads/types.h"

extern char** environ;  // NOLINT: POSIX

namespace {

// Passed by stepbench_host.py if it cannot continue, before the worker's own arguments.
constexpr std::string_view kNoPython = "--no-python=";

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  stepbench::WorkerHost host{.variables = stepbench::machine::variables_of(environ)};
  if (argc > 1 && std::string_view(argv[1]).starts_with(kNoPython)) {
    host.no_python = argv[1] + kNoPython.size();
    arguments.erase(arguments.begin() + 1);
  } else if (argc > 1) {
    try {
      host.no_python = stepbench::python::exec_python_host(
          std::span<const char* const>(argv + 1, argv + argc), host.variables);
    } catch (const std::exception& error) {
      host.no_python = error.what();
    }
  }
  return stepbench::stepbench_worker_main(static_cast<int>(arguments.size()), arguments.data(),
                                          host);
}
