// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/machine/environment.h"
#include "tools/gbench/internal/arguments.h"
#include "tools/gbench/internal/run_benchmarks.h"
#include "tools/stepbench/command.h"

extern char** environ;  // NOLINT: POSIX

namespace {

stepbench::cli::Environment read_environment(int argc, char** argv) {
  stepbench::cli::Environment environment{.out = std::cout, .err = std::cerr};
  environment.argv.assign(argv, argv + argc);
  environment.variables = stepbench::machine::variables_of(environ);
  environment.program_dir = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  return environment;
}

}  // namespace

int main(int argc, char** argv) {
  stepbench::Failure failure;
  try {
    const stepbench::cli::Environment environment = read_environment(argc, argv);
    const auto arguments =
        stepbench::gbench::parse_arguments({environment.argv.begin() + 1, environment.argv.end()});
    if (!arguments.help.empty()) {
      std::cout << arguments.help;
      return stepbench::kExitOk;
    }
    return stepbench::gbench::run_benchmarks(arguments, environment);
  } catch (const std::exception& error) {
    failure = stepbench::failure_of(error, "stepbench-gbench");
  } catch (...) {
    failure = stepbench::unknown_failure("stepbench-gbench");
  }
  std::cerr << "stepbench-gbench: error: " << stepbench::gbench::with_option_prefixes(failure.text)
            << '\n';
  return failure.exit_status;
}
