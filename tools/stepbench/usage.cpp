// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/usage.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <sstream>

#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/help.h"

namespace stepbench::cli {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* each) { return !each->get_name().empty(); })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The first argument that nothing took; of options or of others.
std::string first_extra(const CLI::App& command, bool option) {
  for (const std::string& extra : command.remaining()) {
    if ((extra.size() > 1 && extra.starts_with('-')) == option) return extra;
  }
  return {};
}

std::string decapitalized(std::string text) {
  const bool word = text.size() > 1 && text[1] >= 'a' && text[1] <= 'z';
  if (word && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

std::string long_name(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

// The option or argument of which CLI11's message speaks: its first word.
const CLI::Option* option_in(const CLI::App& command, const std::string& message) {
  const std::string name = message.substr(0, message.find_first_of(" :"));
  const CLI::Option* option = command.get_option_no_throw(name);
  return option == nullptr ? command.get_option_no_throw("--" + name) : option;
}

// What stands behind the last `separator`; CLI11 puts the other option of a pair there.
std::string behind(const std::string& text, const std::string& separator) {
  const std::size_t at = text.rfind(separator);
  return at == std::string::npos ? std::string() : text.substr(at + separator.size());
}

std::string missing_value(const CLI::Option& option) {
  return long_name(option) + " needs a value: " + option_head(option);
}

// Our sentence for what CLI11 found; empty where its own will do.
std::string reason_of(const CLI::App& command, const CLI::ParseError& error) {
  const std::string message = error.what();
  const CLI::Option* option = option_in(command, message);
  switch (static_cast<CLI::ExitCodes>(error.get_exit_code())) {
    case CLI::ExitCodes::RequiredError:
      if (option == nullptr) return {};
      return (option->get_positional() ? option->get_name(true) : option_head(*option)) +
             " is missing: " + decapitalized(option->get_description());
    case CLI::ExitCodes::ArgumentMismatch:
      if (option == nullptr) return {};
      if (message.find("At Most") != std::string::npos) {
        return long_name(*option) + " is given " + behind(message, "received ") +
               " times; it takes one value";
      }
      return option->get_items_expected_max() == 0 ? long_name(*option) + " takes no value"
                                                   : missing_value(*option);
    case CLI::ExitCodes::ConversionError:
      if (option == nullptr) return {};
      return option->get_items_expected_max() == 0 ? long_name(*option) + " takes no value"
                                                   : "wrong value: " + option_head(*option);
    case CLI::ExitCodes::ExcludesError:
      return option == nullptr ? std::string()
                               : long_name(*option) + " and " + behind(message, "excludes ") +
                                     " contradict each other: give one of them";
    case CLI::ExitCodes::RequiresError: {
      const CLI::Option* other = command.get_option_no_throw(behind(message, "requires "));
      return option == nullptr || other == nullptr
                 ? std::string()
                 : long_name(*option) + " is of use only with " + option_head(*other);
    }
    default:
      return {};
  }
}

}  // namespace

void print_error(std::ostream& err, const std::string& message, bool colour) {
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    err << "stepbench: " << (colour ? "\033[31merror:\033[0m " : "error: ") << text::printable(line)
        << '\n';
  }
}

const CLI::App& active_command(const CLI::App& app) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  return parsed.empty() ? app : active_command(*parsed.front());
}

bool lacks_command(const CLI::App& command) {
  return command.get_require_subcommand_min() > 0 && command.get_subcommands().empty() &&
         command.remaining().empty();
}

std::string unknown_command_text(const CLI::App& command, const std::string& name) {
  const std::vector<std::string> names = command_names(command);
  if (names.empty()) return "`" + full_name(command) + "` has no commands";
  return "unknown command '" + name + "'" + text::did_you_mean(name, names) + "\nexpected one of " +
         text::join(names);
}

std::string too_many_text(const CLI::App& command, const std::string& first) {
  return "too many arguments, the first is '" + first + "'\nexpected " + usage_line(command);
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = active_command(app);
  const std::string more = "\nsee `" + full_name(command) + " --help`";
  const std::string extra = first_extra(command, false);
  if (!extra.empty() && !command_names(command).empty()) {
    return unknown_command_text(command, extra) + more;
  }
  const std::string option = first_extra(command, true);
  if (!option.empty()) {
    const std::string name = option.substr(0, option.find('='));
    return "unknown option '" + name + "'" + text::did_you_mean(name, flag_names(command)) + more;
  }
  if (!extra.empty()) return too_many_text(command, extra) + more;
  const std::string reason = reason_of(command, error);
  return (reason.empty() ? error.what() : reason) + more;
}

}  // namespace stepbench::cli
