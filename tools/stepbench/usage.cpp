// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/usage.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <sstream>

#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::cli {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The command that was being read when the error came, down to the last level.
const CLI::App& active(const CLI::App& app) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  return parsed.empty() ? app : active(*parsed.front());
}

std::string full_command(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "stepbench";
  return full_command(*command.get_parent()) + " " + command.get_name();
}

// The first argument that should have been the name of a command of `level`.
std::string unknown_command(const CLI::App& level, const std::vector<std::string>& argv) {
  const std::vector<std::string> names = command_names(level);
  if (names.empty() || !level.get_subcommands().empty()) return {};
  std::size_t first = 1;
  for (const CLI::App* app = &level; app->get_parent() != nullptr; app = app->get_parent()) ++first;
  for (std::size_t i = first; i < argv.size(); ++i) {
    if (!argv[i].starts_with("-")) return argv[i];
  }
  return {};
}

std::string unknown_flag(const CLI::App& command, const std::vector<std::string>& argv) {
  const std::vector<std::string> names = flag_names(command);
  for (std::size_t i = 1; i < argv.size(); ++i) {
    if (argv[i] == "--") break;
    const std::string flag = argv[i].substr(0, argv[i].find('='));
    if (flag.starts_with("--") && std::find(names.begin(), names.end(), flag) == names.end())
      return flag;
  }
  return {};
}

}  // namespace

void print_error(std::ostream& err, const std::string& message, bool colour) {
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    err << "stepbench: " << (colour ? "\033[31merror:\033[0m " : "error: ") << printable(line)
        << '\n';
  }
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error,
                          const std::vector<std::string>& argv) {
  const CLI::App& command = active(app);
  const std::string more = "\nsee `" + full_command(command) + " --help`";
  const std::string name = unknown_command(command, argv);
  if (!name.empty()) {
    const std::vector<std::string> names = command_names(command);
    return "unknown command '" + name + "'" + did_you_mean(name, names) + "\nexpected one of " +
           join(names) + more;
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    const std::string flag = unknown_flag(command, argv);
    if (!flag.empty()) {
      return "unknown option '" + flag + "'" + did_you_mean(flag, flag_names(command)) + more;
    }
  }
  return error.what() + more;
}

}  // namespace stepbench::cli
