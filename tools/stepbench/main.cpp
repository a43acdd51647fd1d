// SPDX-License-Identifier: Apache-2.0
#include <sys/ioctl.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "harness/base/exit_status.h"
#include "harness/machine/environment.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/parse.h"

extern char** environ;  // NOLINT: POSIX

namespace {

using stepbench::cli::Environment;

// Width of this terminal in cells; 0: not a terminal.
int columns_of(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

Environment read_environment(int argc, char** argv) {
  Environment environment{.out = std::cout, .err = std::cerr};
  environment.in_is_terminal = isatty(STDIN_FILENO) == 1;
  environment.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  environment.err_is_terminal = isatty(STDERR_FILENO) == 1;
  environment.argv.assign(argv, argv + argc);
  if (environment.argv.empty()) environment.argv.emplace_back("stepbench");
  environment.variables = stepbench::machine::variables_of(environ);
  const auto no_color_variable =
      stepbench::machine::find_variable(environment.variables, "NO_COLOR");
  const bool no_color = no_color_variable && !no_color_variable->empty();
  environment.colour = environment.out_is_terminal && !no_color;
  environment.err_colour = environment.err_is_terminal && !no_color;
  if (const int columns = columns_of(STDOUT_FILENO); columns > 0) {
    environment.terminal_columns = columns;
  }
  environment.err_columns = [] { return columns_of(STDERR_FILENO); };
  environment.program_dir = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  return environment;
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<Environment> environment;
  const std::string command =
      argc > 1 ? "stepbench " + std::string(argv[1]) : std::string("stepbench");
  stepbench::Failure failure;
  try {
    environment.emplace(read_environment(argc, argv));
    return stepbench::cli::run_command_line(*environment);
  } catch (const std::exception& error) {
    failure = stepbench::failure_of(error, command);
  } catch (...) {
    failure = stepbench::unknown_failure(command);
  }
  stepbench::cli::print_error(std::cerr, failure.text, environment && environment->err_colour);
  return failure.exit_status;
}
