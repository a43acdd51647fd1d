// SPDX-License-Identifier: Apache-2.0
// Completes the current word of a command line from the declarations of commands and options and
// from the catalogue. Used by the scripts of `stepbench completion`, so that bash, zsh and fish
// offer the same.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "harness/base/exit_status.h"
#include "harness/estimate/columns.h"
#include "harness/plan/option_index.h"
#include "harness/plan/plan.h"
#include "harness/record/result_file.h"
#include "harness/text/printable.h"
#include "tools/stepbench/help.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/help_pages.h"
#include "tools/stepbench/internal/run_folders.h"
#include "tools/stepbench/parse.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

namespace fs = std::filesystem;

// A word that may be offered: complete() prints those that begin as the word that is typed.
struct Candidate {
  std::string word;
  std::string meaning = {};  // shown next to it; may be empty
};
using Candidates = std::vector<Candidate>;

void append(Candidates& candidates, Candidates more) {
  std::ranges::move(more, std::back_inserter(candidates));
}

bool any_begins_with(const Candidates& candidates, const std::string& word) {
  return std::ranges::any_of(candidates,
                             [&](const Candidate& each) { return each.word.starts_with(word); });
}

// For candidates of the part of a word behind `head`.
Candidates behind(const std::string& head, Candidates parts) {
  for (Candidate& part : parts) part.word.insert(0, head);
  return parts;
}

// Completes the part after the last comma.
template <typename PartsFor>
Candidates last_of_list(const std::string& word, const PartsFor& parts_for) {
  const std::size_t part = word.rfind(',') + 1;
  return behind(word.substr(0, part), parts_for(word.substr(part)));
}

Candidates plain(const auto& words) {
  Candidates candidates;
  for (const auto& word : words) candidates.push_back({std::string(word)});
  return candidates;
}

// Entries of the folder that `word` has reached. Folders end in '/', so that the user can continue.
Candidates files_where(const std::string& word, bool (*accepts)(const fs::path& name)) {
  const std::string head = word.substr(0, word.rfind('/') + 1);
  const bool hidden = word.substr(head.size()).starts_with('.');
  std::error_code error;
  Candidates found;
  for (fs::directory_iterator at(head.empty() ? "." : head, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') != hidden) continue;
    std::error_code ignored;
    if (at->is_directory(ignored)) {
      found.push_back({head + name + "/"});
    } else if (accepts(name)) {
      found.push_back({head + name});
    }
  }
  std::ranges::sort(found, {}, &Candidate::word);
  return found;
}

// Options of custom workloads are not offered: completion must not start a worker.
const Catalogue& catalogue() { return built_in_catalogue(); }

// Options by their full names; where none begins so, by the last part, as users type it.
Candidates options_for(const std::string& word, const std::string& end) {
  Candidates full;
  Candidates last_parts;
  const plan::OptionIndex index(catalogue());
  for (const std::string& name : index.names()) {
    const Option* const option = catalogue().find_option(name);
    const std::string meaning = option == nullptr ? std::string() : option->doc;
    full.push_back({name + end, meaning});
    const std::size_t dot = name.find('.');
    if (dot != std::string::npos) last_parts.push_back({name.substr(dot + 1) + end, meaning});
  }
  return any_begins_with(full, word) ? full : last_parts;
}

Candidates values_of_option(const std::string& key, const std::string& word) {
  const plan::OptionIndex index(catalogue());
  std::set<std::string> values;
  Candidates paths;
  for (const std::string& full : index.meant(key)) {
    for (const Option* option : index.find(full)) {
      values.insert(option->choices.begin(), option->choices.end());
      if (option->type == OptionType::kBool) values.insert({"false", "true"});
      if (option->type == OptionType::kPath) {
        append(paths, files_where(word, [](const fs::path&) { return true; }));
      }
    }
  }
  append(paths, plain(values));
  return paths;
}

// Values of options and arguments: `command` holds what the line has before the word.

Candidates files(const std::string& word, Command& /*command*/) {
  return files_where(word, [](const fs::path&) { return true; });
}

Candidates folders(const std::string& word, Command& /*command*/) {
  return files_where(word, [](const fs::path&) { return false; });
}

Candidates experiments(const std::string& word, Command& /*command*/) {
  return files_where(word, [](const fs::path& name) {
    return name.extension() == ".yaml" || name.extension() == ".yml";
  });
}

// Runs by name, and all paths that lead to result files.
Candidates runs(const std::string& word, Command& command) {
  const std::string folder =
      command.is_given("--results") ? command.find_option("--results")->values.back() : "results";
  Candidates found;
  for (const fs::path& run : runs_in(folder)) found.push_back({run.string()});
  for (Candidate& file : files_where(word, record::is_result_file)) {
    const std::string bare = file.word.substr(0, file.word.find_last_not_of('/') + 1);
    if (std::ranges::find(found, bare, &Candidate::word) == found.end()) {
      found.push_back(std::move(file));
    }
  }
  return found;
}

Candidates keys(const std::string& word, Command& /*command*/) { return options_for(word, ""); }

Candidates list_of_keys(const std::string& word, Command& /*command*/) {
  return last_of_list(word, [](const std::string& part) { return options_for(part, ""); });
}

Candidates settings(const std::string& word, Command& /*command*/) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return options_for(word, "=");
  const std::string key = word.substr(0, equals);
  return behind(key + "=", last_of_list(word.substr(equals + 1), [&](const std::string& part) {
                  return values_of_option(key, part);
                }));
}

Candidates columns(const std::string& word, Command& /*command*/) {
  Candidates found;
  for (const auto& columns : {estimate::key_columns(), estimate::estimate_columns(),
                              estimate::request_columns(), estimate::noise_columns()}) {
    for (const auto& column : columns) found.push_back({column.metric.name});
  }
  return behind(word.starts_with('-') ? "-" : "", std::move(found));
}

std::set<std::string> ids_of_plan(const std::string& file, const CommandOption* set,
                                  const Environment& environment) {
  constexpr std::int64_t kMaxPoints = 5'000;
  plan::PlanRequest request{
      .file = file, .max_cases = kMaxPoints, .variables = environment.variables};
  if (set != nullptr) request.set = set->values;
  std::set<std::string> ids;
  for (const plan::PlannedCase& planned : plan::make_plan(request, catalogue(), {}).cases) {
    ids.insert(planned.resolved.case_id);
  }
  return ids;
}

// Of the experiment, of the runs, or of the newest run.
Candidates ids(const std::string& /*word*/, Command& command) {
  if (const CommandOption* const file = command.find_option("FILE")) {
    if (!file->is_given) return {};
    return plain(
        ids_of_plan(file->values.front(), command.find_option("--set"), *command.environment));
  }
  std::vector<fs::path> chosen;
  for (const CommandOption& option : command.options) {
    if (option.is_argument())
      chosen.insert(chosen.end(), option.values.begin(), option.values.end());
  }
  if (const auto newest = runs_in("results"); chosen.empty() && !newest.empty()) {
    chosen.push_back(newest.back());
  }
  constexpr std::uintmax_t kMaxBytes = std::uintmax_t{8} << 20;  // a Tab must not wait for more
  std::set<std::string> found;
  for (const fs::path& run : chosen) {
    for (const auto& [id, options] : record::options_of_cases(run, kMaxBytes)) found.insert(id);
  }
  return plain(found);
}

Candidates settings_or_ids(const std::string& word, Command& command) {
  Candidates found = settings(word, command);
  append(found, ids(word, command));
  return found;
}

// Arguments of `stepbench list`.
Candidates names(const std::string& word, Command& /*command*/) {
  Candidates found = {{"all"}, {"metrics"}};
  for (const WorkloadSpec& workload : catalogue().workloads) {
    found.push_back({workload.name, workload.doc});
  }
  for (const Section& section : catalogue().sections) {
    if (!section.name.empty()) found.push_back({section.name, section.doc});
  }
  if (!word.empty()) append(found, options_for(word, ""));
  return found;
}

// Metrics that `ab` and `compare` can test.
Candidates metrics(const std::string& /*word*/, Command& /*command*/) {
  Candidates found = {{"step"}, {"peak_bytes"}, {"step_p90"}, {"step_p99"}, {"samples_per_s"}};
  for (const Phase& phase : built_in_phases()) found.push_back({phase.name, phase.doc});
  for (const WorkloadSpec& workload : catalogue().workloads) {
    for (const Metric& metric : workload.metrics) {
      const bool known = std::ranges::find(found, metric.name, &Candidate::word) != found.end();
      if (!known && metric.direction != Direction::kNeither) {
        found.push_back({metric.name, metric.doc});
      }
    }
  }
  return found;
}

Candidates margins(const std::string& word, Command& command) {
  Candidates found = metrics(word, command);
  for (Candidate& metric : found) metric.word += '=';
  return found;
}

Candidates commands_of(const Command& command) {
  Candidates found;
  for (const Command& each : command.commands) found.push_back({each.name, each.doc});
  return found;
}

// Topics of `stepbench help`: commands and pages.
Candidates topics(const std::string& /*word*/, Command& help) {
  const std::vector<std::string>& before = help.find_option("COMMAND")->values;
  Candidates found;
  if (before.empty()) {
    for (const std::string& topic : topic_names()) found.push_back({topic, "a page"});
  }
  const Command* level = help.parent;
  for (const std::string& name : before) {
    level = level->find_command(name);
    if (level == nullptr) return found;
  }
  append(found, commands_of(*level));
  return found;
}

// What may stand for a value, by its name in help. They read files and folders named on the line,
// and throw if they cannot be read.
struct ValueKind {
  std::string_view name;
  Candidates (*candidates)(const std::string& word, Command& command);
};
constexpr ValueKind kValueKinds[] = {{"COLUMN", columns},
                                     {"COLUMN[,COLUMN]", columns},
                                     {"COMMAND", files},
                                     {"DIR", folders},
                                     {"EXPERIMENT", experiments},
                                     {"FILE", files},
                                     {"ID", ids},
                                     {"KEY", keys},
                                     {"KEY=V1,V2,...", settings},
                                     {"KEY=VALUE", settings},
                                     {"KEY=VALUE[,KEY=VALUE]|ID|RUN", settings_or_ids},
                                     {"KEY=VALUE[,VALUE]", settings},
                                     {"METRIC", metrics},
                                     {"METRIC=SHARE", margins},
                                     {"METRIC[,METRIC]", metrics},
                                     {"NAME", names},
                                     {"PATH", files},
                                     {"ROWS,COLUMNS", list_of_keys},
                                     {"RUN", runs},
                                     {"TOPIC", topics}};

// Other names are the values themselves, "table|json", or stand for no known words.
Candidates values_named(const std::string& name, const std::string& word, Command& command) {
  const auto kind = std::ranges::find(kValueKinds, name, &ValueKind::name);
  if (kind != std::end(kValueKinds)) return kind->candidates(word, command);
  if (name.find('|') == std::string::npos) return {};
  Candidates choices;
  std::istringstream parts(name);
  for (std::string part; std::getline(parts, part, '|');) choices.push_back({part});
  return choices;
}

Candidates values_of(const CommandOption& option, const std::string& word, Command& command) {
  const auto named = [&](const std::string& part) {
    return values_named(option.value_name, part, command);
  };
  return option.is_comma_separated ? last_of_list(word, named) : named(word);
}

// Repeatable options are always offered, others only once.
Candidates options_of(const Command& command) {
  Candidates found;
  for (const CommandOption& option : command.options) {
    if (option.group.empty() || (!option.is_list && option.is_given)) continue;
    for (const std::string& name : option.names) {
      if (name.starts_with("--")) found.push_back({name, option.doc});
    }
  }
  return found;
}

bool has_arguments(const Command& command) {
  return command.has_unread_words() ||
         std::ranges::any_of(command.options, [](const CommandOption& option) {
           return option.is_argument() && option.is_given;
         });
}

Candidates candidates_for(const std::string& word, const CommandOption* waiting, Command& command) {
  if (waiting != nullptr) return values_of(*waiting, word, command);
  const auto& unread = command.unread_words;
  const bool only_arguments = std::ranges::find(unread, "--") != unread.end();
  if (word.starts_with('-') && !only_arguments) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return options_of(command);
    const CommandOption* const option = command.find_option(word.substr(0, equals));
    if (option == nullptr) return {};
    return behind(word.substr(0, equals + 1), values_of(*option, word.substr(equals + 1), command));
  }
  const bool has_commands = !command.commands.empty();
  if (has_commands && has_arguments(command)) return {};  // an unknown command
  Candidates found = commands_of(command);
  if (const CommandOption* const argument = command.next_argument()) {
    append(found, values_of(*argument, word, command));
  } else if (!has_commands && word.empty() && !only_arguments) {
    return options_of(command);
  }
  return found;
}

// One line, without characters that a shell could take for the end of the field.
std::string first_sentence(const std::string& text) {
  constexpr std::size_t kCells = 90;
  std::string line = text::shortened(first_clause(text.substr(0, text.find('\n'))), kCells);
  std::ranges::replace(line, '\t', ' ');
  return line;
}

int print_script(const std::string& shell, const Environment& environment) {
  environment.out << std::ranges::find(completion_scripts(), shell, &CompletionScript::shell)->text;
  return kExitOk;
}

}  // namespace

void complete(Command& program) {
  try {
    const Environment& environment = *program.environment;
    std::vector<std::string> words(environment.argv.begin() + 2, environment.argv.end());
    const std::string word = words.empty() ? std::string() : words.back();
    if (!words.empty()) words.pop_back();
    const CommandOption* const waiting = read_words(program, words);
    Command* active = &program;
    while (active->given_command != nullptr) active = active->given_command;
    for (const Candidate& each : candidates_for(word, waiting, *active)) {
      if (!each.word.starts_with(word)) continue;
      environment.out << each.word;
      if (!each.meaning.empty()) environment.out << '\t' << first_sentence(each.meaning);
      environment.out << '\n';
    }
    environment.out.flush();
  } catch (const std::exception&) {
    return;  // offering nothing is better than printing errors into the line
  }
}

void add_completion(Command& command) {
  std::string& shell = command.calls(print_script);
  std::vector<std::string> shells;
  for (const CompletionScript& script : completion_scripts()) shells.emplace_back(script.shell);
  command.argument("SHELL", shell, "bash, zsh or fish").required().one_of(shells);
}

}  // namespace stepbench::cli
