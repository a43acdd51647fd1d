// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/complete.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <ostream>

#include "harness/text/utf8.h"

namespace stepbench::cli {
namespace {

bool takes_a_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

const CLI::App* command_of(const CLI::App& level, const std::string& name) {
  for (const CLI::App* each : level.get_subcommands([](const CLI::App*) { return true; })) {
    if (each->get_name() == name) return each;
  }
  return nullptr;
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* each) { return each->get_positional(); });
}

// The argument that a further word is: a list takes all that come.
const CLI::Option* next_argument(const WordsBefore& before) {
  const auto arguments = arguments_of(*before.command);
  if (before.arguments.size() < arguments.size()) return arguments[before.arguments.size()];
  const bool list = !arguments.empty() && arguments.back()->get_items_expected_max() > 1;
  return list ? arguments.back() : nullptr;
}

void add_commands_of(const CLI::App& level, const std::string& word,
                     std::vector<Candidate>& candidates) {
  for (const CLI::App* each : level.get_subcommands([](const CLI::App*) { return true; })) {
    if (each->get_name().starts_with(word)) {
      candidates.push_back({each->get_name(), each->get_description()});
    }
  }
}

bool was_given(const WordsBefore& before, const CLI::Option& option) {
  return std::any_of(before.values.begin(), before.values.end(),
                     [&](const auto& given) { return given.first == &option; });
}

// Options with one value each time can be repeated; others are offered once.
void add_options_of(const WordsBefore& before, const std::string& word,
                    std::vector<Candidate>& candidates) {
  for (const CLI::Option* option : before.command->get_options()) {
    const bool repeated = option->get_items_expected_max() > 1;
    if (option->get_group().empty() || (!repeated && was_given(before, *option))) continue;
    for (const std::string& name : option->get_lnames()) {
      const std::string flag = "--" + name;
      if (flag.starts_with(word)) candidates.push_back({flag, option->get_description()});
    }
  }
}

// The commands that `stepbench help` can be asked for.
void add_help_topics(const CLI::App& app, const WordsBefore& before, const std::string& word,
                     std::vector<Candidate>& candidates) {
  const CLI::App* level = &app;
  for (const std::string& name : before.arguments) {
    level = command_of(*level, name);
    if (level == nullptr) return;
  }
  add_commands_of(*level, word, candidates);
}

std::vector<Candidate> candidates_for(const CLI::App& app, const WordsBefore& before,
                                      const std::string& word, const Environment& environment) {
  if (before.option != nullptr) {
    return value_candidates(*before.option, word, before, environment);
  }
  const std::size_t equals = word.find('=');
  if (word.starts_with("--") && equals != std::string::npos && !before.only_arguments) {
    const CLI::Option* option = before.command->get_option_no_throw(word.substr(0, equals));
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
  const bool has_commands =
      !before.command->get_subcommands([](const CLI::App*) { return true; }).empty();
  if (has_commands && !before.arguments.empty()) return {};  // an unknown command
  add_commands_of(*before.command, word, candidates);
  const CLI::Option* argument = next_argument(before);
  if (argument != nullptr && argument->get_type_name() == "COMMAND") {
    add_help_topics(app, before, word, candidates);
  } else if (argument != nullptr) {
    for (Candidate& each : value_candidates(*argument, word, before, environment)) {
      candidates.push_back(std::move(each));
    }
  } else if (candidates.empty() && word.empty() && !before.only_arguments) {
    add_options_of(before, word, candidates);
  }
  return candidates;
}

// One line, without what a shell could take for the end of the field.
std::string first_sentence(const std::string& text) {
  constexpr std::size_t kCells = 90;
  std::string line = text.substr(0, text.find('\n'));
  for (const char* end : {"; ", ". "}) line.resize(std::min(line.size(), line.find(end)));
  line = text::shortened(line, kCells);
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

}  // namespace

std::string WordsBefore::value_of(std::string_view name) const {
  std::string value;
  for (const auto& [given, text] : values) {
    if (given == command->get_option_no_throw(std::string(name))) value = text;
  }
  return value;
}

WordsBefore read_words(const CLI::App& app, const std::vector<std::string>& words) {
  WordsBefore before{.command = &app};
  for (const std::string& word : words) {
    if (before.option != nullptr) {
      before.values.emplace_back(before.option, word);
      before.option = nullptr;
      continue;
    }
    if (word.size() > 1 && word.starts_with('-') && !before.only_arguments) {
      before.only_arguments = word == "--";
      const std::size_t equals = word.find('=');
      const CLI::Option* option = before.command->get_option_no_throw(word.substr(0, equals));
      if (option == nullptr) continue;
      if (equals == std::string::npos && takes_a_value(*option)) {
        before.option = option;
      } else {
        before.values.emplace_back(
            option, equals == std::string::npos ? std::string() : word.substr(equals + 1));
      }
      continue;
    }
    const CLI::App* command = before.only_arguments ? nullptr : command_of(*before.command, word);
    if (command != nullptr) {
      before.command = command;
    } else {
      before.arguments.push_back(word);
    }
  }
  return before;
}

void complete(const CLI::App& app, const Environment& environment) {
  try {
    std::vector<std::string> words(environment.argv.begin() + 2, environment.argv.end());
    const std::string word = words.empty() ? std::string() : words.back();
    if (!words.empty()) words.pop_back();
    for (const Candidate& each : candidates_for(app, read_words(app, words), word, environment)) {
      environment.out << each.word;
      if (!each.meaning.empty()) environment.out << '\t' << first_sentence(each.meaning);
      environment.out << '\n';
    }
    environment.out.flush();
  } catch (const std::exception&) {
    return;  // a shell that offers nothing is better than one that prints errors into the line
  }
}

}  // namespace stepbench::cli
