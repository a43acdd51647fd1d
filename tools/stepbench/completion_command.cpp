// SPDX-License-Identifier: Apache-2.0
// Completes the current word of a command line from the declarations of commands and options and
// from the catalogue. Used by the scripts of `stepbench completion`, so that bash, zsh and fish
// offer the same.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <ostream>
#include <set>
#include <system_error>
#include <utility>

#include "harness/base/exit_status.h"
#include "harness/estimate/columns.h"
#include "harness/plan/option_index.h"
#include "harness/plan/plan.h"
#include "harness/record/result_file.h"
#include "harness/text/printable.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/help_pages.h"
#include "tools/stepbench/internal/run_folders.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

struct Candidate {
  std::string word;
  std::string meaning = {};  // shown next to it; may be empty
};

// The parsed command line before the current word.
struct WordsBefore {
  const Command* command = nullptr;
  const CommandOption* option = nullptr;  // option whose value the current word is; null if none
  bool only_arguments = false;            // after "--"
  // Parsed so far, in order.
  std::vector<std::string> arguments = {};
  std::vector<std::pair<const CommandOption*, std::string>> values = {};

  // Last value of an option such as "--worker"; empty if not given.
  [[nodiscard]] std::string value_of(std::string_view name) const;
};
std::string WordsBefore::value_of(std::string_view name) const {
  std::string value;
  for (const auto& [given, text] : values) {
    if (command->find_option(name) == given) value = text;
  }
  return value;
}

WordsBefore read_words(const Command& program, const std::vector<std::string>& words) {
  WordsBefore before{.command = &program};
  for (const std::string& word : words) {
    if (before.option != nullptr) {
      before.values.emplace_back(std::exchange(before.option, nullptr), word);
      continue;
    }
    if (word.size() > 1 && word.starts_with('-') && !before.only_arguments) {
      before.only_arguments = word == "--";
      const std::size_t equals = word.find('=');
      const CommandOption* const option = before.command->find_option(word.substr(0, equals));
      if (option == nullptr) continue;
      if (equals == std::string::npos && option->takes_value) {
        before.option = option;
      } else {
        before.values.emplace_back(
            option, equals == std::string::npos ? std::string() : word.substr(equals + 1));
      }
      continue;
    }
    const Command* const command =
        before.only_arguments ? nullptr : before.command->find_command(word);
    if (command != nullptr) {
      before.command = command;
    } else {
      before.arguments.push_back(word);
    }
  }
  return before;
}

namespace fs = std::filesystem;

using Candidates = std::vector<Candidate>;

constexpr std::uintmax_t kMaxBytes = std::uintmax_t{8} << 20;  // largest file read for ids
constexpr std::int64_t kMaxPlannedPoints = 5'000;

void offer(Candidates& candidates, std::string_view word, std::string candidate,
           const std::string& meaning = {}) {
  if (candidate.starts_with(word)) candidates.push_back({std::move(candidate), meaning});
}

// Offers entries of the folder that `word` has reached for which `accepts` holds. Folders end in
// '/', so that the user can continue.
template <typename Accepts>
void offer_files(Candidates& candidates, const std::string& word, const Accepts& accepts) {
  const std::size_t slash = word.rfind('/');
  const std::string head = slash == std::string::npos ? std::string() : word.substr(0, slash + 1);
  const bool hidden = word.substr(head.size()).starts_with('.');
  std::error_code error;
  Candidates found;
  for (fs::directory_iterator at(head.empty() ? "." : head, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') != hidden) continue;
    std::error_code ignored;
    if (at->is_directory(ignored)) {
      offer(found, word, head + name + "/");
    } else if (accepts(name)) {
      offer(found, word, head + name);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Candidate& a, const Candidate& b) { return a.word < b.word; });
  candidates.insert(candidates.end(), found.begin(), found.end());
}

bool is_yaml(const std::string& name) { return name.ends_with(".yaml") || name.ends_with(".yml"); }

std::string results_folder(const WordsBefore& before) {
  const std::string given = before.value_of("--results");
  return given.empty() ? "results" : given;
}

// Offers runs by name, and all paths that lead to result files.
void offer_runs(Candidates& candidates, const std::string& word, const WordsBefore& before) {
  const std::string folder = results_folder(before);
  for (const fs::path& run : runs_in(folder)) offer(candidates, word, run.string());
  Candidates files;
  offer_files(files, word, record::is_result_file);
  for (Candidate& file : files) {
    const std::string bare = file.word.substr(0, file.word.find_last_not_of('/') + 1);
    const bool known = std::any_of(candidates.begin(), candidates.end(),
                                   [&](const Candidate& run) { return run.word == bare; });
    if (!known) candidates.push_back(std::move(file));
  }
}

// Options of custom workloads are not offered: completion must not start a worker.
const Catalogue& catalogue() { return built_in_catalogue(); }

void offer_options(Candidates& candidates, const std::string& word, const std::string& behind) {
  const plan::OptionIndex index(catalogue());
  for (const std::string& name : index.names()) {
    const Option* option = catalogue().find_option(name);
    offer(candidates, word, name + behind, option == nullptr ? std::string() : option->doc);
  }
  if (!candidates.empty() || word.empty()) return;
  for (const std::string& name : index.names()) {  // by the last part, as users type it
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) continue;
    const Option* option = catalogue().find_option(name);
    offer(candidates, word, name.substr(dot + 1) + behind,
          option == nullptr ? std::string() : option->doc);
  }
}

void offer_values_of(Candidates& candidates, const std::string& key, const std::string& word) {
  const plan::OptionIndex index(catalogue());
  std::set<std::string> values;
  for (const std::string& full : index.meant(key)) {
    for (const Option* option : index.find(full)) {
      values.insert(option->choices.begin(), option->choices.end());
      if (option->type == OptionType::kBool) values.insert({"false", "true"});
      if (option->type == OptionType::kPath) {
        offer_files(candidates, word, [](const std::string&) { return true; });
      }
    }
  }
  for (const std::string& value : values) offer(candidates, word, value);
}

// Completes the part after the last comma with `offer_part`; keeps the text before it.
template <typename OfferPart>
void offer_last_of_list(Candidates& candidates, const std::string& word,
                        const OfferPart& offer_part) {
  const std::size_t comma = word.rfind(',');
  const std::string head = comma == std::string::npos ? std::string() : word.substr(0, comma + 1);
  Candidates parts;
  offer_part(parts, word.substr(head.size()));
  for (Candidate& part : parts) {
    candidates.push_back({head + part.word, std::move(part.meaning)});
  }
}

void offer_setting(Candidates& candidates, const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) {
    offer_options(candidates, word, "=");
    return;
  }
  const std::string key = word.substr(0, equals);
  Candidates values;
  offer_last_of_list(
      values, word.substr(equals + 1),
      [&](Candidates& parts, const std::string& part) { offer_values_of(parts, key, part); });
  for (Candidate& value : values) {
    candidates.push_back({key + "=" + value.word, std::move(value.meaning)});
  }
}

void offer_columns(Candidates& candidates, const std::string& word) {
  const std::string minus = word.starts_with('-') ? "-" : "";
  for (const auto& columns : {estimate::key_columns(), estimate::estimate_columns(),
                              estimate::request_columns(), estimate::noise_columns()}) {
    for (const estimate::EstimateColumn& column : columns) {
      offer(candidates, word, minus + column.metric.name);
    }
  }
}

std::set<std::string> ids_in(std::string_view text) {
  constexpr std::string_view kBefore = "\"case_id\":\"";
  std::set<std::string> ids;
  for (std::size_t at = text.find(kBefore); at != std::string_view::npos;
       at = text.find(kBefore, at)) {
    at += kBefore.size();
    ids.emplace(text.substr(at, text.find('"', at) - at));
  }
  return ids;
}

std::set<std::string> ids_of_run(const fs::path& run) {
  std::vector<fs::path> files;
  if (fs::is_directory(run)) {
    for (const auto& entry : fs::directory_iterator(run)) {
      if (record::is_result_file(entry.path())) files.push_back(entry.path());
    }
  } else {
    files.push_back(run);
  }
  std::set<std::string> ids;
  for (const fs::path& file : files) {
    if (fs::file_size(file) > kMaxBytes) continue;
    ids.merge(ids_in(record::Input::read(file).text()));
  }
  return ids;
}

std::set<std::string> ids_of_plan(const std::string& file, const WordsBefore& before,
                                  const Environment& environment) {
  plan::PlanRequest request{
      .file = file, .max_cases = kMaxPlannedPoints, .variables = environment.variables};
  for (const auto& [option, value] : before.values) {
    if (option->name() == "--set") request.set.push_back(value);
  }
  std::set<std::string> ids;
  for (const plan::PlannedCase& planned : plan::make_plan(request, catalogue(), {}).cases) {
    ids.insert(planned.resolved.case_id);
  }
  return ids;
}

void offer_ids(Candidates& candidates, const std::string& word, const WordsBefore& before,
               const Environment& environment) {
  const bool of_plan = before.command->find_option("FILE") != nullptr;
  std::set<std::string> ids;
  if (of_plan && !before.arguments.empty()) {
    ids = ids_of_plan(before.arguments.front(), before, environment);
  } else if (!of_plan) {
    const std::vector<fs::path> runs = runs_in("results");
    if (!before.arguments.empty()) {
      for (const std::string& run : before.arguments) ids.merge(ids_of_run(run));
    } else if (!runs.empty()) {
      ids = ids_of_run(runs.back());
    }
  }
  for (const std::string& id : ids) offer(candidates, word, id);
}

// Arguments of `stepbench list`.
void offer_names(Candidates& candidates, const std::string& word) {
  for (const char* name : {"all", "metrics"}) offer(candidates, word, name);
  for (const WorkloadSpec& workload : catalogue().workloads) {
    offer(candidates, word, workload.name, workload.doc);
  }
  for (const Section& section : catalogue().sections) {
    if (!section.name.empty()) offer(candidates, word, section.name, section.doc);
  }
  if (!word.empty()) offer_options(candidates, word, "");
}

// Metrics that `ab` and `compare` can test.
void offer_metrics(Candidates& candidates, const std::string& word, const std::string& behind) {
  for (const char* name : {"step", "peak_bytes", "step_p90", "step_p99", "samples_per_s"}) {
    offer(candidates, word, name + behind);
  }
  for (const Phase& phase : built_in_phases()) {
    offer(candidates, word, phase.name + behind, phase.doc);
  }
  for (const WorkloadSpec& workload : catalogue().workloads) {
    for (const Metric& metric : workload.metrics) {
      const bool known =
          std::any_of(candidates.begin(), candidates.end(),
                      [&](const Candidate& each) { return each.word == metric.name + behind; });
      if (!known && metric.direction != Direction::kNeither) {
        offer(candidates, word, metric.name + behind, metric.doc);
      }
    }
  }
}

void offer_choices(Candidates& candidates, const std::string& word, std::string_view choices) {
  while (!choices.empty()) {
    const std::size_t bar = std::min(choices.find('|'), choices.size());
    offer(candidates, word, std::string(choices.substr(0, bar)));
    choices.remove_prefix(std::min(bar + 1, choices.size()));
  }
}

void offer_value(Candidates& candidates, const std::string& name, const std::string& word,
                 const WordsBefore& before, const Environment& environment) {
  const auto all = [](const std::string&) { return true; };
  if (name.starts_with("KEY=")) {
    offer_setting(candidates, word);
    if (name.find("|ID") != std::string::npos) offer_ids(candidates, word, before, environment);
    return;
  }
  if (name.find('|') != std::string::npos) return offer_choices(candidates, word, name);
  if (name == "ROWS,COLUMNS") {
    return offer_last_of_list(candidates, word, [](Candidates& parts, const std::string& part) {
      offer_options(parts, part, "");
    });
  }
  if (name == "KEY") return offer_options(candidates, word, "");
  if (name.starts_with("COLUMN")) return offer_columns(candidates, word);
  if (name == "ID") return offer_ids(candidates, word, before, environment);
  if (name == "NAME") return offer_names(candidates, word);
  if (name.starts_with("METRIC=")) return offer_metrics(candidates, word, "=");
  if (name.starts_with("METRIC")) return offer_metrics(candidates, word, "");
  if (name == "RUN") return offer_runs(candidates, word, before);
  if (name == "EXPERIMENT") return offer_files(candidates, word, is_yaml);
  if (name == "DIR") return offer_files(candidates, word, [](const std::string&) { return false; });
  if (name == "FILE" || name == "PATH" || name == "COMMAND") offer_files(candidates, word, all);
}

// Values of an option or argument that begin with `word`; empty if unknown. Reads files and folders
// named on the line; throws if they cannot be read.
std::vector<Candidate> value_candidates(const CommandOption& option, const std::string& word,
                                        const WordsBefore& before, const Environment& environment) {
  const std::string name = option.value_name;
  Candidates candidates;
  if (option.is_comma_separated) {
    offer_last_of_list(candidates, word, [&](Candidates& parts, const std::string& part) {
      offer_value(parts, name, part, before, environment);
    });
  } else {
    offer_value(candidates, name, word, before, environment);
  }
  return candidates;
}

// The argument for the next word: a list takes all that follow.
const CommandOption* next_argument(const WordsBefore& before) {
  const CommandOption* last = nullptr;
  std::size_t place = 0;
  for (const CommandOption& option : before.command->options) {
    if (!option.is_argument()) continue;
    if (place++ == before.arguments.size()) return &option;
    last = &option;
  }
  return last != nullptr && last->is_list ? last : nullptr;
}

void add_commands_of(const Command& level, const std::string& word,
                     std::vector<Candidate>& candidates) {
  for (const Command& each : level.commands) {
    if (each.name.starts_with(word)) candidates.push_back({each.name, each.doc});
  }
}

bool was_given(const WordsBefore& before, const CommandOption& option) {
  return std::any_of(before.values.begin(), before.values.end(),
                     [&](const auto& given) { return given.first == &option; });
}

// Repeatable options are always offered, others only once.
void add_options_of(const WordsBefore& before, const std::string& word,
                    std::vector<Candidate>& candidates) {
  for (const CommandOption& option : before.command->options) {
    if (option.group.empty() || (!option.is_list && was_given(before, option))) continue;
    for (const std::string& flag : option.names) {
      if (flag.starts_with("--") && flag.starts_with(word)) {
        candidates.push_back({flag, option.doc});
      }
    }
  }
}

// Topics of `stepbench help`: commands and pages.
void add_help_topics(const Command& program, const WordsBefore& before, const std::string& word,
                     std::vector<Candidate>& candidates) {
  if (before.arguments.empty()) {
    for (const std::string& topic : topic_names()) {
      if (topic.starts_with(word)) candidates.push_back({topic, "a page"});
    }
  }
  const Command* level = &program;
  for (const std::string& name : before.arguments) {
    level = level->find_command(name);
    if (level == nullptr) return;
  }
  add_commands_of(*level, word, candidates);
}

std::vector<Candidate> candidates_for(const Command& program, const WordsBefore& before,
                                      const std::string& word, const Environment& environment) {
  if (before.option != nullptr) {
    return value_candidates(*before.option, word, before, environment);
  }
  const std::size_t equals = word.find('=');
  if (word.starts_with("--") && equals != std::string::npos && !before.only_arguments) {
    const CommandOption* const option = before.command->find_option(word.substr(0, equals));
    if (option == nullptr) return {};
    std::vector<Candidate> values =
        value_candidates(*option, word.substr(equals + 1), before, environment);
    for (Candidate& each : values) each.word.insert(0, word, 0, equals + 1);
    return values;
  }
  std::vector<Candidate> candidates;
  if (word.starts_with('-') && !before.only_arguments) {
    add_options_of(before, word, candidates);
    return candidates;
  }
  const bool has_commands = !before.command->commands.empty();
  if (has_commands && !before.arguments.empty()) return {};  // an unknown command
  add_commands_of(*before.command, word, candidates);
  const CommandOption* const argument = next_argument(before);
  if (argument != nullptr && argument->value_name == "COMMAND") {
    add_help_topics(program, before, word, candidates);
  } else if (argument != nullptr) {
    for (Candidate& each : value_candidates(*argument, word, before, environment)) {
      candidates.push_back(std::move(each));
    }
  } else if (candidates.empty() && word.empty() && !before.only_arguments) {
    add_options_of(before, word, candidates);
  }
  return candidates;
}

// One line, without characters that a shell could take for the end of the field.
std::string first_sentence(const std::string& text) {
  constexpr std::size_t kCells = 90;
  std::string line = text.substr(0, text.find('\n'));
  for (const char* end : {"; ", ". "}) line.resize(std::min(line.size(), line.find(end)));
  line = text::shortened(line, kCells);
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

// bash also splits words at '=' and ':'. The script rejoins the pieces by the text between them on
// the line, and may only return what follows the last such character.
constexpr const char* kBash = R"sh(# bash completion of stepbench
_stepbench() {
  local line=${COMP_LINE:0:COMP_POINT} words=() word i candidate current before
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i > 0)) && [[ $line != [[:blank:]]* ]]; then
      ((i == COMP_CWORD)) && word=$line
      words[${#words[@]}-1]+=$word
    else
      line=${line#"${line%%[![:blank:]]*}"}
      ((i == COMP_CWORD)) && word=$line
      words+=("$word")
    fi
    line=${line#"$word"}
  done
  current=${words[${#words[@]}-1]}
  before=${current%"${current##*[=:]}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=${candidate%%$'\t'*}
    [[ $candidate == *[=/] ]] && compopt -o nospace
    candidate=${candidate#"$before"}
    COMPREPLY+=("$(printf %q "$candidate")")
  done < <("${COMP_WORDS[0]}" __complete "${words[@]:1}" 2>/dev/null)
}
complete -F _stepbench stepbench
)sh";

constexpr const char* kZsh = R"sh(#compdef stepbench
_stepbench() {
  local line word
  local -a open open_texts closed closed_texts
  for line in "${(@f)$("${words[1]}" __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    word=${line%%$'\t'*}
    if [[ $word == *[=/] ]]; then
      open+=("$word"); open_texts+=("${line/$'\t'/  -- }")
    else
      closed+=("$word"); closed_texts+=("${line/$'\t'/  -- }")
    fi
  done
  ((${#open})) && compadd -S '' -l -d open_texts -a open
  ((${#closed})) && compadd -l -d closed_texts -a closed
}
if [[ ${funcstack[1]} == _stepbench ]]; then
  _stepbench "$@"
else
  compdef _stepbench stepbench
fi
)sh";

constexpr const char* kFish = R"sh(# fish completion of stepbench
function __stepbench_candidates
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    $program __complete $words (commandline -ct) 2>/dev/null
end
complete -c stepbench -f -a '(__stepbench_candidates)'
)sh";

const char* script_for(const std::string& shell) {
  if (shell == "bash") return kBash;
  return shell == "zsh" ? kZsh : kFish;
}

int print_script(const std::string& shell, const Environment& environment) {
  environment.out << script_for(shell);
  return kExitOk;
}

}  // namespace

void complete(const Command& program, const Environment& environment) {
  try {
    std::vector<std::string> words(environment.argv.begin() + 2, environment.argv.end());
    const std::string word = words.empty() ? std::string() : words.back();
    if (!words.empty()) words.pop_back();
    for (const Candidate& each :
         candidates_for(program, read_words(program, words), word, environment)) {
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
  command.argument("SHELL", shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
}

}  // namespace stepbench::cli
