// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/usage.h"

#include <optional>
#include <ostream>
#include <sstream>

#include "harness/text/printable.h"
#include "harness/text/removed.h"
#include "harness/text/secrets.h"
#include "harness/text/words.h"
#include "tools/stepbench/help.h"

namespace stepbench::cli {
namespace {

std::vector<std::string> command_names(const Command& command) {
  std::vector<std::string> names;
  for (const Command& each : command.commands()) names.push_back(each.name());
  return names;
}

std::vector<std::string> flag_names(const Command& command) {
  std::vector<std::string> names;
  for (const CommandOption& option : command.options()) {
    for (const std::string& name : option.long_names()) names.push_back("--" + name);
  }
  return names;
}

// The first argument that nothing took; of options or of others. Behind "--" are no options.
std::string first_extra(const Command& command, bool option) {
  bool may_be_option = true;
  for (const std::string& extra : command.unread_words()) {
    if (extra == "--") {
      may_be_option = false;
    } else if ((may_be_option && extra.size() > 1 && extra.starts_with('-')) == option) {
      return extra;
    }
  }
  return {};
}

std::string decapitalized(std::string text) {
  const bool word = text.size() > 1 && text[1] >= 'a' && text[1] <= 'z';
  if (word && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

// `name` as it is written below a command, without the program: "track screen", "ab --bundle".
std::string below(const Command& command, const std::string& name) {
  const std::string full = command.full_name() + " " + name;
  return full.substr(full.find(' ') + 1);
}

// The option or argument of which CLI11's message speaks: its first word.
std::optional<CommandOption> option_in(const Command& command, const std::string& message) {
  const std::string name = message.substr(0, message.find_first_of(" :"));
  const std::optional<CommandOption> option = command.find_option(name);
  return option ? option : command.find_option("--" + name);
}

// What stands behind the last `separator`; CLI11 puts the other option of a pair there.
std::string behind(const std::string& text, const std::string& separator) {
  const std::size_t at = text.rfind(separator);
  return at == std::string::npos ? std::string() : text.substr(at + separator.size());
}

// Our sentence for what CLI11 found; empty where its own will do.
std::string reason_of(const Command& command, const UsageError& error) {
  const std::string message = error.what();
  const std::optional<CommandOption> option = option_in(command, message);
  if (!option) return {};
  const std::string name = option->name();
  switch (error.kind) {
    case UsageError::Kind::kMissing:
      return (option->is_argument() ? name : option_head(*option)) +
             " is missing: " + decapitalized(option->doc());
    case UsageError::Kind::kCount:
      if (message.find("At Most") != std::string::npos) {
        return name + " is given " + behind(message, "received ") + " times; it takes one value";
      }
      return option->takes_value() ? name + " needs a value: " + option_head(*option)
                                   : name + " takes no value";
    case UsageError::Kind::kValue:
      return option->takes_value() ? "wrong value: " + option_head(*option)
                                   : name + " takes no value";
    case UsageError::Kind::kExcludes:
      return name + " and " + behind(message, "excludes ") +
             " contradict each other: give one of them";
    case UsageError::Kind::kNeeds: {
      const auto other = command.find_option(behind(message, "requires "));
      return other ? name + " is of use only with " + option_head(*other) : std::string();
    }
    case UsageError::Kind::kOther:
      return {};
  }
  return {};
}

}  // namespace

void print_error(std::ostream& err, const std::string& message, bool colour) {
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    err << "stepbench: " << (colour ? "\033[31merror:\033[0m " : "error: ")
        << text::printable(text::mask_url_passwords(line)) << '\n';
  }
}

Command active_command(const Command& program) {
  const std::optional<Command> given = program.given_command();
  return given ? active_command(*given) : program;
}

bool lacks_command(const Command& command) {
  return command.needs_a_command() && !command.given_command() && command.unread_words().empty();
}

std::string unknown_command_text(const Command& command, const std::string& name) {
  const std::vector<std::string> names = command_names(command);
  if (names.empty()) return "`" + command.full_name() + "` has no commands";
  const std::string gone = text::removed(below(command, name));
  if (!gone.empty()) return "'" + name + "': " + gone;
  return "unknown command '" + name + "'" + text::did_you_mean(name, names) + "\nexpected one of " +
         text::join(names);
}

std::string too_many_text(const Command& command, const std::string& first) {
  return "too many arguments, the first is '" + first + "'\nexpected " + usage_line(command);
}

std::string usage_message(const Command& program, const UsageError& error) {
  const Command command = active_command(program);
  const std::string more = "\nsee `" + command.full_name() + " --help`";
  const std::string extra = first_extra(command, false);
  if (!extra.empty() && !command_names(command).empty()) {
    return unknown_command_text(command, extra) + more;
  }
  const std::string option = first_extra(command, true);
  if (!option.empty()) {
    const std::string name = option.substr(0, option.find('='));
    const std::string gone = text::removed(below(command, name));
    if (!gone.empty()) return name + ": " + gone + more;
    return "unknown option '" + name + "'" + text::did_you_mean(name, flag_names(command)) + more;
  }
  if (!extra.empty()) return too_many_text(command, extra) + more;
  const std::string reason = reason_of(command, error);
  return (reason.empty() ? error.what() : reason) + more;
}

}  // namespace stepbench::cli
