// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "harness/base/error.h"
#include "harness/text/numbers.h"
#include "harness/text/removed.h"
#include "harness/text/words.h"

namespace stepbench::cli {
namespace {

constexpr const char* kColor = "--color";

// `accepts` decides; a refusal says "expected WHAT, found 'VALUE'".
void expect(CLI::Option& option, const std::string& what,
            const std::function<bool(const std::string&)>& accepts) {
  option.check(CLI::Validator(
      [what, accepts](const std::string& value) {
        return accepts(value) ? std::string() : "expected " + what + ", found '" + value + "'";
      },
      ""));
}

template <typename Number>
bool is_between(const std::string& text, Number min, Number max) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end && value >= min && value <= max;
}

// "--shard I/N": the name stands before the blank, the value's name behind it.
std::string name_in(const std::string& flag) { return flag.substr(0, flag.find(' ')); }

CommandOption declared(CLI::Option* option, const std::string& group, const std::string& flag) {
  option->group(group);
  const std::size_t blank = flag.find(' ');
  if (blank != std::string::npos) option->type_name(flag.substr(blank + 1));
  return CommandOption(*option);
}

}  // namespace

void print(const Environment& environment, std::string_view text) {
  environment.out << text << std::flush;
  if (!environment.out) throw ConfigError("standard output", "cannot be written");
}

CommandOption CommandOption::one_of(const std::vector<std::string>& names) const {
  option_->type_name(text::join(names, "|"));
  option_->check(CLI::Validator(
      [names, flag = name()](const std::string& value) {
        if (std::find(names.begin(), names.end(), value) != names.end()) return std::string();
        const std::string gone = text::removed(flag + " " + value);
        if (!gone.empty()) return "'" + value + "': " + gone;
        return "expected one of " + text::join(names) + ", found '" + value + "'" +
               text::did_you_mean(value, names);
      },
      ""));
  return *this;
}

CommandOption CommandOption::whole_number(std::int64_t min, std::int64_t max) const {
  expect(*option_,
         "a whole number from " + text::with_separators(min) + " to " + text::with_separators(max),
         [min, max](const std::string& text) { return is_between(text, min, max); });
  return *this;
}

CommandOption CommandOption::number(double min, double max, const std::string& unit) const {
  expect(*option_, unit + " from " + text::short_number(min) + " to " + text::short_number(max),
         [min, max](const std::string& text) { return is_between(text, min, max); });
  return *this;
}

CommandOption CommandOption::folder() const {
  expect(*option_, "a folder", [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
  });
  return *this;
}

CommandOption CommandOption::required() const {
  option_->required();
  return *this;
}

CommandOption CommandOption::with_default() const {
  option_->capture_default_str();
  return *this;
}

CommandOption CommandOption::with_default(const std::string& shown) const {
  option_->default_str(shown);
  return *this;
}

CommandOption CommandOption::with_value_when_bare(const std::string& value) const {
  option_->expected(0, 1)->default_str(value);
  return *this;
}

CommandOption CommandOption::comma_separated() const {
  option_->delimiter(',')->allow_extra_args(false);  // what follows is no part of the list
  return *this;
}

CommandOption CommandOption::one_value_each_time() const {
  option_->allow_extra_args(false);
  return *this;
}

CommandOption CommandOption::excludes(CommandOption other) const {
  option_->excludes(other.option_);
  return *this;
}

CommandOption CommandOption::needs(CommandOption other) const {
  option_->needs(other.option_);
  return *this;
}

CommandOption CommandOption::described_as(const std::string& doc) const {
  option_->description(doc);
  return *this;
}

// CLI11 has no place for it but whether a file of its own format may set the option: none may.
CommandOption CommandOption::common() const {
  option_->configurable(false);
  return *this;
}

bool CommandOption::is_common() const { return !option_->get_configurable(); }

std::string CommandOption::name() const {
  return long_names().empty() ? option_->get_name() : "--" + long_names().front();
}

const std::vector<std::string>& CommandOption::short_names() const { return option_->get_snames(); }

const std::vector<std::string>& CommandOption::long_names() const { return option_->get_lnames(); }

bool CommandOption::is_argument() const { return option_->get_positional(); }

bool CommandOption::is_required() const { return option_->get_required(); }

bool CommandOption::is_comma_separated() const { return option_->get_delimiter() == ','; }

bool CommandOption::takes_value() const { return option_->get_items_expected_max() > 0; }

bool CommandOption::takes_list() const { return option_->get_items_expected_max() > 1; }

bool CommandOption::may_lack_value() const { return option_->get_items_expected_min() == 0; }

std::string CommandOption::value_name() const { return option_->get_type_name(); }

std::string CommandOption::default_text() const { return option_->get_default_str(); }

std::string CommandOption::group() const { return option_->get_group(); }

std::string CommandOption::doc() const { return option_->get_description(); }

bool CommandOption::is_given() const { return !option_->empty(); }

std::vector<std::string> CommandOption::values() const { return option_->results(); }

Command Command::add(const std::string& name, const std::string& doc,
                     const std::string& footer) const {
  CLI::App* command = app_->add_subcommand(name, doc);
  if (!footer.empty()) command->footer(footer);
  return {*command, *context_};
}

template <typename Value>
CommandOption Command::option(const std::string& group, const std::string& flag, Value& value,
                              const std::string& doc) const {
  return declared(app_->add_option(name_in(flag), value, doc), group, flag);
}

template <typename Value>
CommandOption Command::argument(const std::string& name, Value& value, const std::string& doc,
                                const std::string& value_name) const {
  CLI::Option* argument = app_->add_option(name, value, doc);
  if (!value_name.empty()) argument->type_name(value_name);
  return CommandOption(*argument);
}

CommandOption Command::option_function(const std::string& group, const std::string& flag,
                                       const std::function<void(const std::string&)>& take,
                                       const std::string& doc) const {
  return declared(app_->add_option_function<std::string>(name_in(flag), take, doc), group, flag);
}

CommandOption Command::repeated(const std::string& group, const std::string& flag,
                                std::vector<std::string>& values, const std::string& doc) const {
  return option(group, flag, values, doc).one_value_each_time();
}

CommandOption Command::flag(const std::string& group, const std::string& flag, bool& value,
                            const std::string& doc) const {
  return declared(app_->add_flag(flag, value, doc), group, flag);
}

CommandOption Command::flag(const std::string& group, const std::string& flag, std::string& value,
                            const std::string& doc) const {
  return declared(app_->add_flag(flag, value, doc), group, flag);
}

using Strings = std::vector<std::string>;
template CommandOption Command::option(const std::string&, const std::string&, std::string&,
                                       const std::string&) const;
template CommandOption Command::option(const std::string&, const std::string&, Strings&,
                                       const std::string&) const;
template CommandOption Command::option(const std::string&, const std::string&,
                                       std::filesystem::path&, const std::string&) const;
template CommandOption Command::option(const std::string&, const std::string&, int&,
                                       const std::string&) const;
template CommandOption Command::option(const std::string&, const std::string&, std::int64_t&,
                                       const std::string&) const;
template CommandOption Command::option(const std::string&, const std::string&, std::size_t&,
                                       const std::string&) const;
template CommandOption Command::option(const std::string&, const std::string&, double&,
                                       const std::string&) const;
template CommandOption Command::option(const std::string&, const std::string&,
                                       std::optional<std::int64_t>&, const std::string&) const;
template CommandOption Command::option(const std::string&, const std::string&,
                                       std::optional<std::size_t>&, const std::string&) const;
template CommandOption Command::option(const std::string&, const std::string&,
                                       std::optional<double>&, const std::string&) const;
template CommandOption Command::argument(const std::string&, std::string&, const std::string&,
                                         const std::string&) const;
template CommandOption Command::argument(const std::string&, Strings&, const std::string&,
                                         const std::string&) const;

void Command::needs_command(bool optional) const { app_->require_subcommand(optional ? 0 : 1, 1); }

void Command::on_parsed(const std::function<void()>& check) const {
  app_->parse_complete_callback(check);
}

void Command::on_call(const std::function<int()>& call) const {
  app_->callback([call, app = app_, context = context_] {
    if (app->get_subcommands().empty()) context->exit_code = call();
  });
}

void Command::show_in_group(const std::string& group) const { app_->group(group); }

void Command::add_general_options() const {
  app_->set_help_flag("-h,--help", "Print the common options")->group(kGeneralOptions);
  app_->set_help_all_flag("--help-all", "Print all options and examples")->group(kGeneralOptions);
  CLI::Option* color =
      app_->add_option(kColor, "Colours; auto: on a terminal, unless NO_COLOR is set")
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  declared(color, kGeneralOptions, kColor).with_default("auto").one_of({"auto", "always", "never"});
  if (std::ranges::any_of(options(), &CommandOption::is_output)) {
    CLI::Option* const force = app_->add_flag(kForce);
    force->description("Replace also files that stepbench did not write");
    declared(force, kOutputOptions, kForce);
  }
  for (CLI::Option* option : app_->get_options({})) {
    const bool is_switch = option->get_items_expected_max() == 0 && option->get_type_name().empty();
    if (is_switch) option->disable_flag_override();
  }
  for (const Command& each : commands()) each.add_general_options();
}

bool CommandOption::is_output() const {
  return group() == kOutputOptions && value_name() == "FILE";
}

const std::string& Command::name() const { return app_->get_name(); }

std::string Command::full_name() const {
  CLI::App* const parent = app_->get_parent();
  return parent == nullptr ? name() : Command(*parent, *context_).full_name() + " " + name();
}

std::string Command::doc() const { return app_->get_description(); }

std::string Command::footer() const { return app_->get_footer(); }

const std::string& Command::group() const { return app_->get_group(); }

std::vector<Command> Command::commands() const {
  std::vector<Command> commands;
  for (CLI::App* each : app_->get_subcommands({})) commands.emplace_back(*each, *context_);
  return commands;
}

std::optional<Command> Command::command(const std::string& name) const {
  for (const Command& each : commands()) {
    if (each.name() == name) return each;
  }
  return std::nullopt;
}

std::vector<CommandOption> Command::options() const {
  std::vector<CommandOption> options;
  for (CLI::Option* each : app_->get_options({})) options.emplace_back(*each);
  return options;
}

std::optional<CommandOption> Command::find_option(const std::string& name) const {
  CLI::Option* option = app_->get_option_no_throw(name);
  return option == nullptr ? std::nullopt : std::optional(CommandOption(*option));
}

bool Command::needs_a_command() const { return app_->get_require_subcommand_min() > 0; }

std::optional<Command> Command::given_command() const {
  const std::vector<CLI::App*> given = app_->get_subcommands();
  return given.empty() ? std::nullopt : std::optional(Command(*given.front(), *context_));
}

bool Command::is_given(const std::string& option) const { return app_->count(option) > 0; }

std::vector<std::string> Command::unread_words() const { return app_->remaining(); }

std::string Command::color() const {
  const std::optional<Command> given = given_command();
  const std::string below = given ? given->color() : std::string();
  const CLI::Option* option = app_->get_option_no_throw(kColor);
  return !below.empty() || option == nullptr || option->empty() ? below : option->results().back();
}

}  // namespace stepbench::cli
