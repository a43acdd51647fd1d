// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/cli11_options.h"

#include <CLI/CLI.hpp>

#include "tools/stepbench/commands.h"

namespace stepbench::cli {

void add_nightly(Command program) {
  add_nightly(program.app(), program.environment(), program.exit_code());
}

void add_track(Command program) {
  add_track(program.app(), program.environment(), program.exit_code());
}

void expect_one_of(CLI::Option& option, const std::vector<std::string>& names) {
  CommandOption(option).one_of(names);
}

void expect_whole_number(CLI::Option& option, std::int64_t min, std::int64_t max) {
  CommandOption(option).whole_number(min, max);
}

void expect_number(CLI::Option& option, double min, double max, const std::string& unit) {
  CommandOption(option).number(min, max, unit);
}

CLI::Option& add_repeated(CLI::App& command, const std::string& flag,
                          std::vector<std::string>& values, const std::string& doc,
                          const std::string& value_name) {
  return *command.add_option(flag, values, doc)->type_name(value_name)->allow_extra_args(false);
}

}  // namespace stepbench::cli
