// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/parse.h"

#include <algorithm>
#include <optional>
#include <span>
#include <sstream>

#include "harness/base/format.h"
#include "harness/text/names.h"
#include "harness/text/printable.h"
#include "harness/text/secrets.h"
#include "harness/text/words.h"
#include "tools/stepbench/help.h"

namespace stepbench::cli {
namespace {

using Words = std::span<const std::string>;

std::string decapitalized(std::string text) {
  const bool word = text.size() > 1 && text[1] >= 'a' && text[1] <= 'z';
  if (word && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

bool is_option(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

void add_value(CommandOption& option, const std::string& value) {
  if (!option.is_comma_separated || value.find(',') == std::string::npos) {
    option.values.push_back(value);
    return;
  }
  std::istringstream parts(value);
  for (std::string part; std::getline(parts, part, ',');) {
    if (!part.empty()) option.values.push_back(part);
  }
}

// True for a valid value of an option whose value is optional: otherwise the word in "--profile
// kineto" would be taken for a FILE or an argument of a script.
bool is_choice(const CommandOption& option, const std::string& word) {
  return option.may_lack_value && !word.empty() &&
         ('|' + option.value_name + '|').find('|' + word + '|') != std::string::npos;
}

// Consumes the words of one command from the front of `words`.
class Reader {
 public:
  Reader(Command& command, Words words) : command_(command), words_(words) {}

  // Returns the option whose value is missing, where reading ended; null if none is.
  const CommandOption* read() {
    while (!words_.empty()) {
      const std::string word = take();
      if (only_arguments_) {
        take_argument(word);
      } else if (word == "--") {
        only_arguments_ = true;
        command_.unread_words.push_back(word);
      } else if (Command* const below = command_.find_command(word)) {
        command_.given_command = below;
        return Reader(*below, words_).read();
      } else if (is_option(word)) {
        if (const CommandOption* const waiting = take_option(word)) return waiting;
      } else {
        take_argument(word);
      }
    }
    return nullptr;
  }

 private:
  std::string take() {
    const std::string word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }

  bool next_is_a_value() const {
    return !words_.empty() && words_.front() != "--" && !is_option(words_.front());
  }

  // Returns the option if its value is missing.
  const CommandOption* take_option(const std::string& word) {
    const std::size_t equals = std::min(word.find('='), word.size());
    CommandOption* const option = command_.find_option(word.substr(0, equals));
    if (option == nullptr) {
      command_.unread_words.push_back(word);
      return nullptr;
    }
    if (equals + 1 < word.size()) {
      if (!option->takes_value && !option->may_lack_value) {
        throw UsageError(option->name() + " takes no value");
      }
      add_value(*option, word.substr(equals + 1));
    } else if (equals < word.size() && (option->takes_value || option->may_lack_value)) {
      return option;  // "--profile=$ENGINE", and the variable was empty
    } else if (!words_.empty() && is_choice(*option, words_.front())) {
      add_value(*option, take());
    } else if (option->may_lack_value && !(option->takes_value && next_is_a_value())) {
      add_value(*option, option->bare_value);
    } else if (option->takes_value) {
      // Do not take the next option for a value: in "--resume $RUN --quiet" the variable was empty.
      if (words_.empty() || (is_option(words_.front()) && command_.find_option(words_.front()))) {
        return option;
      }
      add_value(*option, take());
    }
    option->is_given = true;
    return nullptr;
  }

  void take_argument(const std::string& word) {
    CommandOption* const argument = command_.next_argument();
    if (argument == nullptr) {
      command_.unread_words.push_back(word);
      return;
    }
    argument->is_given = true;
    add_value(*argument, word);
  }

  Command& command_;
  Words words_;
  bool only_arguments_ = false;  // after "--"
};

void take_values(CommandOption& option) {
  if (!option.is_given) return;
  const std::string& name = option.name();
  for (const std::string& value : option.values) {
    for (const auto& check : option.checks) {
      if (const std::string wrong = check(value); !wrong.empty()) {
        throw UsageError(name + ": " + wrong);
      }
    }
  }
  if (option.values.size() > 1 && option.takes_value && !option.is_list && option.take) {
    throw UsageError(
        formatted("{} is given {} times; it takes one value", name, option.values.size()));
  }
  if (option.take && !option.take(option.values)) {
    throw UsageError("wrong value: " + option_head(option));
  }
}

void check_options(Command& command) {
  for (CommandOption& option : command.options) take_values(option);
  for (const CommandOption& option : command.options) {
    if (option.is_required && !option.is_given) throw UsageError(missing_text(option));
    if (!option.is_given) continue;
    if (option.needed != nullptr && !option.needed->is_given) {
      throw UsageError(
          formatted("{} is of use only with {}", option.name(), option_head(*option.needed)));
    }
    for (const CommandOption* other : option.excluded) {
      if (other->is_given) {
        throw UsageError(formatted("{} and {} contradict each other: give one of them",
                                   option.name(), other->name()));
      }
    }
  }
  if (command.needs_command && command.given_command == nullptr) {
    throw UsageError("a command is missing");
  }
}

}  // namespace

const CommandOption* read_words(Command& program, std::span<const std::string> words) {
  return Reader(program, words).read();
}

Asked parse_words(Command& program, const std::vector<std::string>& words) {
  if (const CommandOption* const waiting = read_words(program, Words(words).subspan(1))) {
    throw UsageError(formatted("{} needs a value: {}", waiting->name(), option_head(*waiting)));
  }
  std::vector<Command*> given;
  for (Command* each = &program; each != nullptr; each = each->given_command) {
    given.push_back(each);
  }
  const auto asks_for = [&](const char* option) {
    return std::ranges::any_of(given,
                               [&](const Command* command) { return command->is_given(option); });
  };
  if (asks_for("--version")) return Asked::kVersion;
  if (asks_for("--help-all")) return Asked::kHelpAll;
  if (asks_for("--help")) return Asked::kHelp;
  for (Command* command : given) check_options(*command);
  for (auto command = given.rbegin(); command != given.rend(); ++command) {
    if ((*command)->on_parsed) (*command)->on_parsed();
  }
  for (const Command* command : given) {
    for (const std::string& word : command->unread_words) {
      if (word != "--") throw UsageError(formatted("unexpected argument '{}'", word));
    }
  }
  return Asked::kCall;
}

std::string missing_text(const CommandOption& option) {
  return formatted("{} is missing: {}", option.is_argument() ? option.name() : option_head(option),
                   decapitalized(option.doc));
}

namespace {

std::vector<std::string> command_names(const Command& command) {
  std::vector<std::string> names;
  for (const Command& each : command.commands) names.push_back(each.name);
  return names;
}

std::vector<std::string> flag_names(const Command& command) {
  std::vector<std::string> names;
  for (const CommandOption& option : command.options) {
    for (const std::string& name : option.names) {
      if (name.starts_with("--")) names.push_back(name);
    }
  }
  return names;
}

// " (did you mean '--a'?)"
std::string meant_option(const Command& command, const std::string& name) {
  for (const CommandOption& option : command.options) {
    if (option.meant_by == name) return text::did_you_mean(option.name());
  }
  return text::did_you_mean(name, flag_names(command));
}

// First unread word, either an option or not. Words after "--" are not options.
std::string first_extra(const Command& command, bool option) {
  bool may_be_option = true;
  for (const std::string& extra : command.unread_words) {
    if (extra == "--") {
      may_be_option = false;
    } else if ((may_be_option && extra.size() > 1 && extra.starts_with('-')) == option) {
      return extra;
    }
  }
  return {};
}

// `name` with its command, without the program: "track screen", "ab --bundle".
std::string below(const Command& command, const std::string& name) {
  const std::string full = command.full_name() + " " + name;
  return full.substr(full.find(' ') + 1);
}

}  // namespace

void print_error(std::ostream& err, const std::string& message, bool colour) {
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    err << "stepbench: " << (colour ? "\033[31merror:\033[0m " : "error: ")
        << text::printable(text::mask_url_passwords(line)) << '\n';
  }
}

const Command& active_command(const Command& program) {
  return program.given_command == nullptr ? program : active_command(*program.given_command);
}

bool lacks_command(const Command& command) {
  return command.needs_command && command.given_command == nullptr && !command.has_unread_words();
}

std::string unknown_command_text(const Command& command, const std::string& name) {
  const std::vector<std::string> names = command_names(command);
  if (names.empty()) return formatted("`{}` has no commands", command.full_name());
  const std::string removal_note = text::removed(below(command, name));
  if (!removal_note.empty()) return formatted("'{}': {}", name, removal_note);
  return formatted("unknown command '{}'{}\nexpected one of {}", name,
                   text::did_you_mean(name, names), text::join(names));
}

std::string too_many_text(const Command& command, const std::string& first) {
  return formatted("too many arguments, the first is '{}'\nexpected {}", first,
                   usage_line(command));
}

std::string usage_message(const Command& program, const UsageError& error) {
  const Command& command = active_command(program);
  const std::string more = formatted("\nsee `{} --help`", command.full_name());
  const std::string extra = first_extra(command, false);
  if (!extra.empty() && !command_names(command).empty()) {
    return unknown_command_text(command, extra) + more;
  }
  const std::string option = first_extra(command, true);
  if (!option.empty()) {
    const std::string name = option.substr(0, option.find('='));
    const std::string removal_note = text::removed(below(command, name));
    if (!removal_note.empty()) return formatted("{}: {}{}", name, removal_note, more);
    return formatted("unknown option '{}'{}{}", name, meant_option(command, name), more);
  }
  if (!extra.empty()) return too_many_text(command, extra) + more;
  return error.what() + more;
}

}  // namespace stepbench::cli
