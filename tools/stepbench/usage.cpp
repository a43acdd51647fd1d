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
  if (names.empty()) return "`" + command.full_name() + "` has no commands";
  const std::string removal_note = text::removed(below(command, name));
  if (!removal_note.empty()) return "'" + name + "': " + removal_note;
  return "unknown command '" + name + "'" + text::did_you_mean(name, names) + "\nexpected one of " +
         text::join(names);
}

std::string too_many_text(const Command& command, const std::string& first) {
  return "too many arguments, the first is '" + first + "'\nexpected " + usage_line(command);
}

std::string usage_message(const Command& program, const UsageError& error) {
  const Command& command = active_command(program);
  const std::string more = "\nsee `" + command.full_name() + " --help`";
  const std::string extra = first_extra(command, false);
  if (!extra.empty() && !command_names(command).empty()) {
    return unknown_command_text(command, extra) + more;
  }
  const std::string option = first_extra(command, true);
  if (!option.empty()) {
    const std::string name = option.substr(0, option.find('='));
    const std::string removal_note = text::removed(below(command, name));
    if (!removal_note.empty()) return name + ": " + removal_note + more;
    return "unknown option '" + name + "'" + meant_option(command, name) + more;
  }
  if (!extra.empty()) return too_many_text(command, extra) + more;
  return error.what() + more;
}

}  // namespace stepbench::cli
