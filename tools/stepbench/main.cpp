// SPDX-License-Identifier: Apache-2.0
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/usage.h"

extern char** environ;  // NOLINT: POSIX

namespace {

using stepbench::cli::Environment;

Environment read_environment(int argc, char** argv) {
  Environment environment{.out = std::cout, .err = std::cerr};
  environment.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  environment.err_is_terminal = isatty(STDERR_FILENO) == 1;
  environment.argv.assign(argv, argv + argc);
  if (environment.argv.empty()) environment.argv.emplace_back("stepbench");
  bool no_color = false;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    if (text.substr(0, equals) == "NO_COLOR" && text.size() > equals + 1) no_color = true;
  }
  environment.colour = environment.out_is_terminal && !no_color;
  environment.err_colour = environment.err_is_terminal && !no_color;
  winsize size{};
  if (environment.out_is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
      size.ws_col > 0) {
    environment.terminal_columns = size.ws_col;
  }
  environment.program_dir = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  return environment;
}

void add_commands(CLI::App& app, const Environment& environment, int& exit_code) {
  app.require_subcommand(1);
  app.set_version_flag("--version", "stepbench " STEPBENCH_VERSION);
  app.footer(
      "Start with:\n"
      "  stepbench run configs/quickstart.yaml     measure and print a table\n"
      "  stepbench plan configs/quickstart.yaml    only show what would be measured\n"
      "  stepbench list                            what can be measured and varied\n"
      "Every command has its own --help with examples.");
  stepbench::cli::add_run(app, environment, exit_code);
  stepbench::cli::add_show(app, environment, exit_code);
  stepbench::cli::add_ab(app, environment, exit_code);
  stepbench::cli::add_compare(app, environment, exit_code);
  stepbench::cli::add_plan(app, environment, exit_code);
  stepbench::cli::add_list(app, environment, exit_code);
  stepbench::cli::add_schema(app, environment, exit_code);
  stepbench::cli::add_doctor(app, environment, exit_code);
  stepbench::cli::add_data(app, environment, exit_code);
}

int run(const Environment& environment) {
  int exit_code = stepbench::kExitOk;
  CLI::App app{
      "Benchmark harness for training steps: where does the time of a step go, what makes it "
      "faster?",
      "stepbench"};
  add_commands(app, environment, exit_code);
  try {
    // CLI11 takes the arguments from the back.
    app.parse(std::vector<std::string>(environment.argv.rbegin(), environment.argv.rend() - 1));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error, environment.out, environment.err);
      return stepbench::kExitOk;
    }
    stepbench::cli::print_error(environment.err,
                                stepbench::cli::usage_message(app, error, environment.argv),
                                environment.err_colour);
    return stepbench::kExitUsage;
  }
  environment.out.flush();
  if (!environment.out) throw stepbench::ConfigError("standard output", "cannot be written");
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  bool colour_errors = false;
  const std::string command =
      argc > 1 ? "stepbench " + std::string(argv[1]) : std::string("stepbench");
  stepbench::Failure failure;
  try {
    const Environment environment = read_environment(argc, argv);
    colour_errors = environment.err_colour;
    return run(environment);
  } catch (const std::exception& error) {
    failure = stepbench::failure_of(error, command);
  } catch (...) {
    failure = stepbench::unknown_failure(command);
  }
  stepbench::cli::print_error(std::cerr, failure.text, colour_errors);
  return failure.exit_status;
}
