// SPDX-License-Identifier: Apache-2.0
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "tools/stepbench/command.h"

extern char** environ;  // NOLINT: POSIX

namespace {

using stepbench::cli::Environment;

Environment read_environment(int argc, char** argv) {
  Environment environment{.out = std::cout, .err = std::cerr};
  environment.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  environment.err_is_terminal = isatty(STDERR_FILENO) == 1;
  environment.argv.assign(argv, argv + argc);
  bool no_color = false;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    if (text.substr(0, equals) == "NO_COLOR" && text.size() > equals + 1) no_color = true;
  }
  environment.colour = environment.out_is_terminal && !no_color;
  winsize size{};
  if (environment.out_is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    environment.terminal_columns = size.ws_col;
  }
  environment.program_dir = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  return environment;
}

}  // namespace

int main(int argc, char** argv) {
  int exit_code = stepbench::cli::kOk;
  try {
    const Environment environment = read_environment(argc, argv);
    CLI::App app{"Benchmark harness for training steps: where does the time of a step go, what makes it faster?"};
    app.require_subcommand(1);
    app.set_version_flag("--version", "stepbench " STEPBENCH_VERSION);
    app.footer("Start with:  stepbench run configs/quickstart.yaml\n"
               "Every command has its own --help with examples.");
    stepbench::cli::add_run(app, environment, exit_code);
    stepbench::cli::add_show(app, environment, exit_code);
    stepbench::cli::add_compare(app, environment, exit_code);
    stepbench::cli::add_plan(app, environment, exit_code);
    stepbench::cli::add_list(app, environment, exit_code);
    stepbench::cli::add_schema(app, environment, exit_code);
    stepbench::cli::add_data(app, environment, exit_code);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? stepbench::cli::kOk : stepbench::cli::kUsage;
    }
  } catch (const std::exception& error) {
    std::cerr << "stepbench: " << error.what() << '\n';
    return stepbench::cli::kUsage;
  }
  return exit_code;
}
