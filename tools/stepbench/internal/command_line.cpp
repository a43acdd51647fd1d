// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/command_line.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/nights/night_store.h"
#include "harness/run/launch.h"
#include "harness/run/worker_program.h"
#include "harness/text/words.h"
#include "tools/stepbench/help.h"
#include "tools/stepbench/internal/help_pages.h"
#include "tools/stepbench/internal/track_options.h"
#include "tools/stepbench/parse.h"

namespace stepbench::cli {
namespace {

HelpStyle style_of(bool is_terminal, int columns, bool colour) {
  constexpr int kMin = 40;
  constexpr int kMax = 100;
  constexpr std::size_t kColumnsWithoutTerminal = 80;
  return {.columns = is_terminal ? static_cast<std::size_t>(std::clamp(columns, kMin, kMax))
                                 : kColumnsWithoutTerminal,
          .colour = colour};
}

HelpStyle out_style(const Environment& environment) {
  return style_of(environment.out_is_terminal, environment.terminal_columns, environment.colour);
}

// Finds the command with these names below `program`. Throws ConfigError for the first unknown
// name.
const Command& command_named(const Command& program, const std::vector<std::string>& names) {
  const Command* command = &program;
  for (const std::string& name : names) {
    const Command* const next = command->find_command(name);
    if (next == nullptr) throw ConfigError("help", unknown_command_text(*command, name));
    command = next;
  }
  return *command;
}

void add_help(Command& help) {
  const auto names = std::make_shared<std::vector<std::string>>();
  help.argument("COMMAND", *names,
                "A command, a page's topic, or words to find in the pages; default: all commands",
                "TOPIC");
  help.on_call = [&program = *help.parent, names] {
    const Environment& environment = *program.environment;
    std::vector<std::string> words;  // quoted as one word or not
    std::istringstream all(text::join(*names, " "));
    for (std::string word; all >> word;) words.push_back(word);
    const bool is_command = words.empty() || program.find_command(words.front()) != nullptr;
    const std::string page = is_command ? std::string() : help_page(words);
    if (!is_command && page.empty()) {
      throw ConfigError("help", formatted("{}\nor a page: {}; no page contains '{}'",
                                          unknown_command_text(program, words.front()),
                                          text::join(topic_names()), text::join(words, " ")));
    }
    environment.out << (is_command
                            ? help_text(command_named(program, words), out_style(environment))
                            : page);
    return kExitOk;
  };
}

constexpr const char* kMeasure = "Measure";
constexpr const char* kRead = "Read results";
constexpr const char* kNights = "Follow nights";
constexpr const char* kLookUp = "Look up";
constexpr const char* kSetUp = "Set up";
constexpr const char* kBelow = "Commands";  // of another command

// For a command that only holds others.
void require_command(Command& command) { command.needs_command = true; }

// `declare` adds the options and the callback; the examples and what else the help ends with are in
// help/NAME.txt.
struct CommandRow {
  std::string_view name;
  const char* group;
  const char* doc;
  void (*declare)(Command& command);
  bool speaks_of_all = false;  // needs the declarations of all commands
};
constexpr CommandRow kCommands[] = {
    {"plan", kMeasure, "Show the cases of an experiment and about how long they take", add_plan},
    {"run", kMeasure, "Measure every case of a YAML file and print a table", add_run},
    {"ab", kMeasure, "Is B slower or faster than A? Measures both in turns", add_ab},
    {"bisect", kNights, "Which commit made a step slower? Builds, measures and halves", add_bisect},
    {"show", kRead, "Print results: a table, one case whole, or raw steps", add_show},
    {"compare", kRead, "Compare results, with intervals and verdicts", add_compare},
    {"report", kRead, "Write one HTML file with charts and tables", add_report},
    {"export", kRead, "Write results for CI systems, Prometheus, spreadsheets", add_export},
    {"runs", kRead, "List the runs in a folder, or delete old ones", add_runs},
    {"runs prune", kBelow, "Delete old runs, after a look at the list", add_runs_prune},
    {"nightly", kNights, "A night in one command: measure, judge, alert", add_nightly},
    {"analyze", kRead, "Why is this step slow? Reads traces, says what to do", add_analyze},
    {"track", kNights, "Keep a history of nights and see which cases became slower",
     require_command},
    {"track add", kBelow, "Add runs to the history", add_track_add},
    {"track check", kBelow, "Judge a night: which series moved?", add_track_check},
    {"track show", kBelow, "A series over the nights, an alert, or the open alerts",
     add_track_show},
    {"track report", kBelow, "The history as static pages, for a disk or a web server",
     add_track_report},
    {"track note", kBelow, "Annotate an alert, a series or a run", add_track_note},
    {"track bisect", kBelow, "Which commit made it slower? Between the nights of an alert",
     add_track_bisect},
    {"track list", kBelow, "The series of the history", add_track_list},
    {"track merge", kBelow, "Join the histories of two cases that are one", add_track_merge},
    {"track prune", kBelow, "Remove kept worker programs that nobody needs any more",
     add_track_prune},
    {"list", kLookUp, "Show workloads, sections and options with their meaning", add_list},
    {"schema", kLookUp, "Print the JSON Schema of experiments, a report's data or results",
     add_schema},
    {"doctor", kLookUp, "Find what on this machine would spoil measurements", add_doctor},
    {"help", kLookUp, "Print the help of a command, or a page", add_help, true},
    {"data", kSetUp, "Make data sets to measure with; show what a loader delivers",
     require_command},
    {"data show", kBelow,
     "Show what the loader of a case delivers: shapes, numbers, labels, order, pictures",
     add_data_show},
    {"data make", kBelow, "Make a data set of a given kind (data.kind)", add_data_make},
    {"completion", kSetUp, "Print a script that completes command lines in a shell", add_completion,
     true},
    {"tune", kMeasure, "Which settings are good? Searches a sweep in a budget", add_tune}};

// The command that the line begins with and those below it; none for --version; else all.
// Declaring options takes longer than using them.
std::span<const CommandRow> needed_commands(const std::vector<std::string>& argv) {
  const std::span<const CommandRow> all = kCommands;
  const std::string_view first = argv.size() > 1 ? argv[1] : std::string_view();
  if (first == "--version" || first == "-V") return {};
  const auto found = std::ranges::find(all, first, &CommandRow::name);
  if (found == all.end() || found->speaks_of_all || first.find(' ') != first.npos) return all;
  const auto end = std::ranges::find(found + 1, all.end(), false,
                                     [](const CommandRow& row) { return row.group == kBelow; });
  return {found, end};
}

void declare_commands(Command& program, std::span<const CommandRow> rows) {
  program.needs_command = true;
  for (const CommandRow& row : rows) {
    const std::size_t blank = row.name.find(' ');
    Command* const above =
        blank == row.name.npos ? &program : program.find_command(row.name.substr(0, blank));
    row.declare(above->add(std::string(row.name.substr(blank + 1)), row.doc, help_end(row.name),
                           row.group));
  }
  program.footer = help_end(program.name);
  program.add_switch(kGeneralOptions, "--version,-V", "Print the version");
  program.add_general_options();
}

// Applies the last --color on the line, wherever it is.
void choose_colour(const Command& program, Environment& environment) {
  const std::string choice = program.color();
  if (choice != "always" && choice != "never") return;
  environment.colour = choice == "always";
  environment.err_colour = environment.colour;
}

// Prints the error; without a command, the help on standard error.
void answer(const Command& program, const UsageError& error, const Environment& environment) {
  const Command& command = active_command(program);
  if (lacks_command(command)) {
    const int columns = environment.err_columns();
    environment.err << help_text(command, style_of(columns > 0, columns, environment.err_colour));
  } else {
    print_error(environment.err, usage_message(program, error), environment.err_colour);
  }
}

// Executes a parsed line; returns the exit status.
int execute(Asked asked, const Command& program, Environment& environment) {
  const Command& active = active_command(program);
  choose_colour(program, environment);
  if (asked == Asked::kVersion) {
    environment.out << "stepbench " STEPBENCH_VERSION "\n";
  } else if (asked == Asked::kCall) {
    check_command_files(program, environment);
    return active.on_call();
  } else {
    // "nosuch --help" asks for the help of an unknown command.
    if (active.has_unread_words() && !active.commands.empty()) {
      throw UsageError("unknown command");
    }
    HelpStyle style = out_style(environment);
    style.all = asked == Asked::kHelpAll;
    environment.out << help_text(active, style);
  }
  return kExitOk;
}

}  // namespace

int run_command_line(Environment& environment, bool all_commands) {
  if (environment.argv.size() > 1 && environment.argv[1] == run::kRankCommand) {
    return run::run_rank(std::span(environment.argv).subspan(2), environment.variables,
                         run::program_build_id(environment.program_dir + "/stepbench"));
  }
  Command program{.environment = &environment,
                  .name = "stepbench",
                  .doc = "Measure training steps: where does the time go, what makes it faster?"};
  declare_commands(program, all_commands ? kCommands : needed_commands(environment.argv));
  if (environment.argv.size() > 1 && environment.argv[1] == kCompleteCommand) {
    complete(program);
    return kExitOk;
  }
  int exit_status = kExitOk;
  try {
    exit_status = execute(parse_words(program, environment.argv), program, environment);
  } catch (const UsageError& error) {
    if (!all_commands) return run_command_line(environment, true);
    choose_colour(program, environment);
    answer(program, error, environment);
    return kExitUsage;
  }
  print(environment, {});
  return exit_status;
}

namespace {

namespace fs = std::filesystem;

bool is_output_folder(const CommandOption& option) {
  return option.group == kOutputOptions && option.value_name == "DIR";
}

// True for options that name an input path, even if it does not exist yet.
bool names_a_path(const CommandOption& option) {
  static const std::set<std::string> kPaths = {"EXPERIMENT", "FILE", "PATH", "RUN", "SCRIPT"};
  return kPaths.contains(option.value_name);
}

// Adds the history and the files that belong to it.
void add_history_files(const std::string& option, const std::string& url,
                       std::vector<os::NamedFile>& inputs) {
  for (const fs::path& file : nights::history_files(url)) inputs.push_back({option, file});
}

// Adds the value and all files named by words in it: "data.path=FILE", "FILE,FILE", "sh tell.sh".
void add_words(const std::string& option, const std::string& value,
               std::vector<os::NamedFile>& inputs) {
  constexpr std::string_view kBorders = "=, \t'\"";
  std::set<std::string> words = {value};
  for (std::size_t at = 0; at != std::string::npos && at < value.size();) {
    const std::size_t end = value.find_first_of(kBorders, at);
    words.insert(value.substr(at, end - at));
    if (end == std::string::npos) break;
    words.insert(value.substr(end + 1));
    at = end + 1;
  }
  for (const std::string& word : words) {
    std::error_code error;
    if (fs::is_regular_file(word, error)) inputs.push_back({option, word});
  }
}

// The given values, or the default.
std::vector<std::string> values_of(const CommandOption& option) {
  if (option.is_given || option.default_text.empty()) return option.values;
  return {option.default_text};
}

void add_option_files(const CommandOption& option, bool forced, os::CommandFiles& files) {
  const std::string name = option.name();
  if (option.is_output()) {
    for (const std::string& value : option.values) files.outputs.push_back({name, value, forced});
    return;
  }
  if (is_output_folder(option)) {
    for (const std::string& value : option.values) files.output_folders.push_back({name, value});
    return;
  }
  for (const std::string& value : values_of(option)) {
    if (option.value_name == "URL") {
      add_history_files(name, value, files.inputs);
    } else if (names_a_path(option)) {
      files.inputs.push_back({name, value});
      if (value.starts_with("sqlite:")) add_history_files(name, value, files.inputs);
    } else {
      add_words(name, value, files.inputs);
    }
  }
}

void require_values(const CommandOption& option) {
  if (!option.is_given || !option.takes_value) return;
  const std::vector<std::string> values = option.values;
  if (std::ranges::find(values, "") == values.end()) return;
  throw ConfigError(option.name(),
                    "empty value; leave out the option, or set the variable that holds its value");
}

os::CommandFiles files_of(const Command& program) {
  os::CommandFiles files;
  for (const Command* command = &program; command != nullptr; command = command->given_command) {
    const bool forced = command->is_given(kForce);
    for (const CommandOption& option : command->options) {
      require_values(option);
      add_option_files(option, forced, files);
    }
    const CommandOption* const db = command->find_option("--db");
    const CommandOption* const results = command->find_option("--results");
    if (db != nullptr && results != nullptr && values_of(*db).empty()) {
      const std::string folder = values_of(*results).back();
      add_history_files("--db", default_history(folder), files.inputs);
    }
  }
  return files;
}

}  // namespace

void check_command_files(const Command& program, Environment& environment) {
  const os::CommandFiles files = files_of(program);
  os::check_files(files);
  environment.outputs = files.outputs;
}

}  // namespace stepbench::cli
