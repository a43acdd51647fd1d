// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/command_line.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/fleet/launchers.h"
#include "harness/text/words.h"
#include "tools/stepbench/be_rank.h"
#include "tools/stepbench/command_files.h"
#include "tools/stepbench/commands.h"
#include "tools/stepbench/complete.h"
#include "tools/stepbench/help.h"
#include "tools/stepbench/help_pages.h"
#include "tools/stepbench/usage.h"

namespace stepbench::cli {
namespace {

constexpr const char* kFooter =
    R"(Start with:
  stepbench run configs/quickstart.yaml     measure and print a table
  stepbench plan configs/quickstart.yaml    only show what would be measured
  stepbench list                            what can be measured and varied
  stepbench help run                        a command's common options; run --help-all: all
  stepbench help cookbook                   what to do when, by symptom
  stepbench help topics                     the other pages)";

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

void set_groups(const Command& program) {
  for (const auto& [group, names] : std::vector<std::pair<const char*, std::vector<const char*>>>{
           {"Measure", {"plan", "run", "ab", "tune"}},
           {"Read results", {"show", "report", "compare", "analyze", "export", "runs"}},
           {"Follow nights", {"nightly", "track", "bisect"}},
           {"Look up", {"list", "schema", "doctor", "help"}},
           {"Set up", {"data", "completion"}}}) {
    for (const char* name : names) {
      if (const auto command = program.command(name)) command->show_in_group(group);
    }
  }
}

// The command of these names below `program`. Throws ConfigError for the first unknown one.
Command command_named(Command program, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const std::optional<Command> next = program.command(name);
    if (!next) throw ConfigError("help", unknown_command_text(program, name));
    program = *next;
  }
  return program;
}

void add_help(Command program) {
  const Command help =
      program.add("help", "Print the help of a command, or a page",
                  "Examples:\n"
                  "  stepbench help data make        a command, with the common options\n"
                  "  stepbench help topics           the pages\n"
                  "  stepbench help nights           a page\n"
                  "  stepbench help nights alert     its sections about alerts\n"
                  "  stepbench help out of memory    where pages speak of it");
  const auto names = std::make_shared<std::vector<std::string>>();
  help.argument("COMMAND", *names,
                "A command, a page's topic, or words that stand in a page; default: all commands",
                "COMMAND");
  help.on_call([program, names] {
    const Environment& environment = program.environment();
    std::vector<std::string> words;  // quoted or not
    std::istringstream all(text::join(*names, " "));
    for (std::string word; all >> word;) words.push_back(word);
    const bool is_command = words.empty() || program.command(words.front());
    const std::string page = is_command ? std::string() : help_page(words);
    if (!is_command && page.empty()) {
      throw ConfigError("help", unknown_command_text(program, words.front()) +
                                    "\nor a page: " + text::join(topic_names()) +
                                    "; none of them has '" + text::join(words, " ") + "'");
    }
    environment.out << (is_command
                            ? help_text(command_named(program, words), out_style(environment))
                            : page);
    return kExitOk;
  });
}

struct NamedCommand {
  std::string_view name;
  void (*add)(Command program);
  bool speaks_of_all = false;  // of the other commands
};
constexpr NamedCommand kCommands[] = {
    {"plan", add_plan},       {"run", add_run},         {"ab", add_ab},
    {"bisect", add_bisect},   {"show", add_show},       {"compare", add_compare},
    {"report", add_report},   {"export", add_export},   {"runs", add_runs},
    {"nightly", add_nightly}, {"analyze", add_analyze}, {"track", add_track},
    {"list", add_list},       {"schema", add_schema},   {"doctor", add_doctor},
    {"help", add_help, true}, {"data", add_data},       {"completion", add_completion, true},
    {"tune", add_tune}};

// The one that the line begins with; none for --version; else all. To declare an option takes
// longer than to use it.
std::span<const NamedCommand> needed_commands(const std::vector<std::string>& argv) {
  const std::span<const NamedCommand> all = kCommands;
  const std::string_view first = argv.size() > 1 ? argv[1] : std::string_view();
  if (first == "--version" || first == "-V") return {};
  const auto found = std::ranges::find(all, first, &NamedCommand::name);
  return found == all.end() || found->speaks_of_all ? all : std::span(found, 1);
}

void add_commands(Program& line, std::span<const NamedCommand> commands) {
  const Command program = line.root();
  program.needs_command();
  for (const NamedCommand& command : commands) command.add(program);
  set_groups(program);
  line.complete("stepbench " STEPBENCH_VERSION, kFooter);
}

// By --color, wherever on the line it stands; the last one counts.
void choose_colour(const Command& program, Environment& environment) {
  const std::string choice = program.color();
  if (choice != "always" && choice != "never") return;
  environment.colour = choice == "always";
  environment.err_colour = environment.colour;
}

// What is wrong with the line; without a command: the help, on standard error.
void answer(const Command& program, const UsageError& error, const Environment& environment) {
  const Command command = active_command(program);
  if (lacks_command(command)) {
    const int columns = environment.err_columns();
    environment.err << help_text(command, style_of(columns > 0, columns, environment.err_colour));
  } else {
    print_error(environment.err, usage_message(program, error), environment.err_colour);
  }
}

}  // namespace

int run_command_line(Environment& environment, bool all_commands) {
  if (environment.argv.size() > 1 && environment.argv[1] == fleet::kRankCommand) {
    return be_rank(environment);
  }
  Program line(environment, "stepbench",
               "Measure training steps: where does the time go, what makes it faster?");
  add_commands(line, all_commands ? kCommands : needed_commands(environment.argv));
  const Command program = line.root();
  if (environment.argv.size() > 1 && environment.argv[1] == kCompleteCommand) {
    complete(program, environment);
    return kExitOk;
  }
  program.on_parsed([&] {
    choose_colour(program, environment);
    check_command_files(program, environment);
  });
  try {
    const Program::Result result = line.run(environment.argv);
    if (result != Program::Result::kCalled) choose_colour(program, environment);
    if (result == Program::Result::kVersion) environment.out << "stepbench " STEPBENCH_VERSION "\n";
    if (result == Program::Result::kHelp || result == Program::Result::kHelpAll) {
      const Command active = active_command(program);
      // "nosuch --help" asks for the help of a command that there is not.
      if (!active.unread_words().empty() && !active.commands().empty()) {
        throw UsageError("unknown command");
      }
      HelpStyle style = out_style(environment);
      style.all = result == Program::Result::kHelpAll;
      environment.out << help_text(active, style);
    }
  } catch (const UsageError& error) {
    if (!all_commands) return run_command_line(environment, true);
    choose_colour(program, environment);
    answer(program, error, environment);
    return kExitUsage;
  }
  print(environment, {});
  return line.exit_code();
}

}  // namespace stepbench::cli
