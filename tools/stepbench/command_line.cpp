// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "tools/stepbench/help.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/usage.h"

namespace stepbench::cli {
namespace {

constexpr const char* kFooter =
    R"(Start with:
  stepbench run configs/quickstart.yaml     measure and print a table
  stepbench plan configs/quickstart.yaml    only show what would be measured
  stepbench list                            what can be measured and varied

Every command has its own --help with examples; `stepbench help run` prints it too.)";

constexpr const char* kColor = "--color";

HelpStyle style_of(bool is_terminal, int columns, bool colour) {
  constexpr int kMin = 40;
  constexpr int kMax = 100;
  constexpr std::size_t kElsewhere = 80;
  return {.columns =
              is_terminal ? static_cast<std::size_t>(std::clamp(columns, kMin, kMax)) : kElsewhere,
          .colour = colour};
}

HelpStyle out_style(const Environment& environment) {
  return style_of(environment.out_is_terminal, environment.terminal_columns, environment.colour);
}

// --help and --color of this command and of those below it.
void add_general_options(CLI::App& command) {
  command.set_help_flag("-h,--help", "Print this help")->group(kGeneralOptions);
  CLI::Option* color =
      command.add_option(kColor, "Colours; auto: on a terminal, unless NO_COLOR is set")
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
          ->default_str("auto")
          ->group(kGeneralOptions);
  expect_one_of(*color, {"auto", "always", "never"});
  for (CLI::Option* option : command.get_options({})) {
    const bool is_switch = option->get_items_expected_max() == 0 && option->get_type_name().empty();
    if (is_switch) option->disable_flag_override();
  }
  for (CLI::App* each : command.get_subcommands({})) add_general_options(*each);
}

void set_groups(CLI::App& app) {
  for (const auto& [group, names] : std::vector<std::pair<const char*, std::vector<const char*>>>{
           {"Measure", {"plan", "run", "ab"}},
           {"Read results", {"show", "report", "compare", "export", "runs"}},
           {"Follow nights", {"nightly", "track"}},
           {"Look up", {"list", "schema", "doctor", "help"}},
           {"Set up", {"data", "completion"}}}) {
    for (const char* name : names) app.get_subcommand(name)->group(group);
  }
}

// The command of these names below `app`. Throws ConfigError for the first unknown one.
const CLI::App& command_named(const CLI::App& app, const std::vector<std::string>& names) {
  const CLI::App* command = &app;
  for (const std::string& name : names) {
    const auto commands = command->get_subcommands({});
    const auto next = std::find_if(commands.begin(), commands.end(),
                                   [&](const CLI::App* each) { return each->get_name() == name; });
    if (next == commands.end()) throw ConfigError("help", unknown_command_text(*command, name));
    command = *next;
  }
  return *command;
}

void add_help(CLI::App& app, const Environment& environment) {
  const auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* help = app.add_subcommand("help", "Print the help of a command");
  help->add_option("COMMAND", *names, "As in `stepbench help data make`; default: all in short")
      ->type_name("COMMAND");
  help->callback([&app, names, &environment] {
    environment.out << help_text(command_named(app, *names), out_style(environment));
  });
}

std::string color_choice(const CLI::App& command) {
  const CLI::Option* option = command.get_option_no_throw(kColor);
  std::string choice = option == nullptr || option->empty() ? "" : option->results().back();
  for (const CLI::App* each : command.get_subcommands()) {
    const std::string below = color_choice(*each);
    if (!below.empty()) choice = below;
  }
  return choice;
}

}  // namespace

void add_commands(CLI::App& app, const Environment& environment, int& exit_code) {
  app.name("stepbench");
  app.description(
      "Benchmark harness for training steps: where does the time of a step go, what makes it "
      "faster?");
  app.require_subcommand(1);
  app.set_version_flag("-V,--version", "stepbench " STEPBENCH_VERSION, "Print the version")
      ->group(kGeneralOptions);
  add_plan(app, environment, exit_code);
  add_run(app, environment, exit_code);
  add_ab(app, environment, exit_code);
  add_show(app, environment, exit_code);
  add_compare(app, environment, exit_code);
  add_report(app, environment, exit_code);
  add_export(app, environment, exit_code);
  add_runs(app, environment, exit_code);
  add_nightly(app, environment, exit_code);
  add_analyze(app, environment, exit_code);
  add_track(app, environment, exit_code);
  add_list(app, environment, exit_code);
  add_schema(app, environment, exit_code);
  add_doctor(app, environment, exit_code);
  add_help(app, environment);
  add_data(app, environment, exit_code);
  add_completion(app, environment, exit_code);
  app.footer(kFooter);  // not earlier: commands would inherit it
  set_groups(app);
  add_general_options(app);
}

void choose_colour(const CLI::App& app, Environment& environment) {
  const std::string choice = color_choice(app);
  if (choice != "always" && choice != "never") return;
  environment.colour = choice == "always";
  environment.err_colour = environment.colour;
}

int answer_without_running(const CLI::App& app, const CLI::ParseError& error,
                           const Environment& environment) {
  const CLI::App& command = active_command(app);
  if (error.get_name() == "CallForVersion") {
    environment.out << error.what() << '\n' << std::flush;
    return kExitOk;
  }
  if (error.get_exit_code() == 0) {
    environment.out << help_text(command, out_style(environment)) << std::flush;
    return kExitOk;
  }
  if (lacks_command(command)) {
    const int columns = environment.err_columns();
    environment.err << help_text(command, style_of(columns > 0, columns, environment.err_colour));
  } else {
    print_error(environment.err, usage_message(app, error), environment.err_colour);
  }
  return kExitUsage;
}

}  // namespace stepbench::cli
