// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/complete.h"

#include <algorithm>
#include <exception>
#include <ostream>
#include <utility>

#include "harness/text/utf8.h"
#include "tools/stepbench/help_pages.h"

namespace stepbench::cli {
namespace {

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

}  // namespace

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

}  // namespace stepbench::cli
