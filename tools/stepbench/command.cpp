// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/command.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/names.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"

namespace stepbench::cli {
namespace {

constexpr const char* kColor = "--color";

// Adds a check; an error reads "expected WHAT, found 'VALUE'".
CommandOption& expect(CommandOption& option, const std::string& what,
                      const std::function<bool(const std::string&)>& accepts) {
  option.checks.emplace_back([what, accepts](const std::string& value) {
    return accepts(value) ? std::string() : formatted("expected {}, found '{}'", what, value);
  });
  return option;
}

template <typename Number>
std::function<bool(const std::string&)> between(Number min, Number max) {
  return [=](const std::string& text) {
    Number value{};
    return take_value(text, value) && value >= min && value <= max;
  };
}

template <typename Options>
auto* option_named(Options& options, std::string_view name) {
  const auto found = std::ranges::find_if(options, [&](const CommandOption& each) {
    return std::ranges::find(each.names, name) != each.names.end();
  });
  return found == options.end() ? nullptr : &*found;
}

template <typename Commands>
auto* command_named(Commands& commands, std::string_view name) {
  const auto found = std::ranges::find(commands, name, &Command::name);
  return found == commands.end() ? nullptr : &*found;
}

}  // namespace

void print(const Environment& environment, std::string_view text) {
  environment.out << text << std::flush;
  if (!environment.out) throw ConfigError("standard output", "cannot be written");
}

void say(const Environment& environment, std::string_view text) {
  environment.err << "stepbench: " << text::printable(text) << '\n';
}

void warn(const Environment& environment, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) say(environment, "warning: " + warning);
}

CommandOption& CommandOption::one_of(const std::vector<std::string>& choices) {
  value_name = text::join(choices, "|");
  checks.emplace_back([choices, flag = name()](const std::string& value) {
    if (std::ranges::find(choices, value) != choices.end()) return std::string();
    const std::string removal_note = text::removed(flag + " " + value);
    if (!removal_note.empty()) return formatted("'{}': {}", value, removal_note);
    return formatted("expected one of {}, found '{}'{}", text::join(choices), value,
                     text::did_you_mean(value, choices));
  });
  return *this;
}

CommandOption& CommandOption::whole_number(std::int64_t min, std::int64_t max) {
  return expect(*this,
                formatted("a whole number from {} to {}", text::with_separators(min),
                          text::with_separators(max)),
                between(min, max));
}

CommandOption& CommandOption::number(double min, double max, const std::string& unit) {
  return expect(
      *this, formatted("{} from {} to {}", unit, text::short_number(min), text::short_number(max)),
      between(min, max));
}

CommandOption& CommandOption::folder() {
  return expect(*this, "a folder", [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
  });
}

CommandOption& CommandOption::excludes(CommandOption& other) {
  excluded.push_back(&other);
  other.excluded.push_back(this);
  return *this;
}

bool CommandOption::is_output() const { return group == kOutputOptions && value_name == "FILE"; }

Command& Command::add(const std::string& command, const std::string& meaning,
                      const std::string& ending, const std::string& in_group) {
  return commands.emplace_back(Command{.environment = environment,
                                       .parent = this,
                                       .name = command,
                                       .doc = meaning,
                                       .footer = ending,
                                       .group = in_group});
}

// Parses `flag`, "--quiet,--no-progress" or "--shard I/N": names before the blank, the value's name
// after it.
CommandOption& Command::new_option(const std::string& in_group, const std::string& flag,
                                   const std::string& meaning) {
  CommandOption& option = options.emplace_back();
  option.group = in_group;
  option.doc = meaning;
  const std::size_t blank = std::min(flag.find(' '), flag.size());
  std::istringstream names(flag.substr(0, blank));
  for (std::string each; std::getline(names, each, ',');) option.names.push_back(each);
  if (blank < flag.size()) option.value_name = flag.substr(blank + 1);
  return option;
}

CommandOption& Command::option_function(const std::string& in_group, const std::string& flag,
                                        const std::function<void(const std::string&)>& take,
                                        const std::string& meaning) {
  CommandOption& option = new_option(in_group, flag, meaning);
  option.take = [take](const std::vector<std::string>& values) {
    take(values.back());
    return true;
  };
  return option;
}

CommandOption& Command::flag(const std::string& in_group, const std::string& flag, bool& value,
                             const std::string& meaning) {
  return flag_function(
      in_group, flag, [&value] { value = true; }, meaning);
}

CommandOption& Command::flag_function(const std::string& in_group, const std::string& flag,
                                      const std::function<void()>& take,
                                      const std::string& meaning) {
  CommandOption& option = new_option(in_group, flag, meaning);
  option.takes_value = false;
  option.take = [take](const std::vector<std::string>& /*values*/) {
    take();
    return true;
  };
  return option;
}

CommandOption& Command::flag(const std::string& in_group, const std::string& flag,
                             std::string& value, const std::string& meaning) {
  const std::size_t brace = flag.find('{');
  CommandOption& declared = option(in_group, flag.substr(0, brace), value, meaning);
  declared.takes_value = false;
  declared.may_lack_value = true;
  declared.bare_value = flag.substr(brace + 1, flag.size() - brace - 2);
  return declared;
}

void Command::add_general_options() {
  add_switch(kGeneralOptions, "--help,-h", "Print the common options");
  add_switch(kGeneralOptions, "--help-all", "Print all options and examples");
  new_option(kGeneralOptions, kColor, "Colours; auto: on a terminal, unless NO_COLOR is set")
      .with_default("auto")
      .one_of({"auto", "always", "never"});
  if (std::ranges::any_of(options, &CommandOption::is_output)) {
    add_switch(kOutputOptions, kForce, "Replace also files that stepbench did not write");
  }
  for (Command& each : commands) each.add_general_options();
}

std::string Command::full_name() const {
  return parent == nullptr ? name : parent->full_name() + " " + name;
}

Command* Command::find_command(std::string_view command) {
  return command_named(commands, command);
}
const Command* Command::find_command(std::string_view command) const {
  return command_named(commands, command);
}

CommandOption* Command::find_option(std::string_view option) {
  return option_named(options, option);
}
const CommandOption* Command::find_option(std::string_view option) const {
  return option_named(options, option);
}

CommandOption* Command::next_argument() {
  const auto next = std::ranges::find_if(options, [](const CommandOption& option) {
    return option.is_argument() && (option.values.empty() || option.is_list);
  });
  return next == options.end() ? nullptr : &*next;
}

bool Command::is_given(std::string_view option) const {
  const CommandOption* const found = find_option(option);
  return found != nullptr && found->is_given;
}

bool Command::has_unread_words() const {
  return std::ranges::any_of(unread_words, [](const auto& word) { return word != "--"; });
}

std::string Command::color() const {
  const std::string below = given_command == nullptr ? std::string() : given_command->color();
  return !below.empty() || !is_given(kColor) ? below : find_option(kColor)->values.back();
}

}  // namespace stepbench::cli
