// SPDX-License-Identifier: Apache-2.0
// Declarations of commands and options. parse.h reads a command line by them; help.h
// displays them. One file per command: declare, call the library, print.
#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/os/files.h"

namespace stepbench::cli {

// Group of --help, --version and --color.
inline constexpr const char* kGeneralOptions = "General";
inline constexpr const char* kOutputOptions = "Output";
// For every command that writes a file named by an option.
inline constexpr const char* kForce = "--force";

// Everything of the outside world that a command may use; read once, in main().
struct Environment {
  std::ostream& out;
  std::ostream& err;
  bool in_is_terminal = false;  // questions can be answered
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;      // --color; by default on a terminal unless NO_COLOR is set
  bool err_colour = false;  // as `colour`, for `err`
  int terminal_columns = 100;
  std::function<int()> err_columns = [] { return 0; };  // current width of `err`; 0: not a terminal
  std::vector<std::string> argv = {};
  std::vector<std::pair<std::string, std::string>> variables = {};  // the process environment
  std::string program_dir = {};             // folder of this program and of the default worker
  std::vector<os::NamedFile> outputs = {};  // files named by options of this call that it writes
};

// Writes to standard output and flushes it. Throws ConfigError on failure.
void print(const Environment& environment, std::string_view text);

// Writes "stepbench: TEXT" as a line to standard error; unprintable characters are escaped.
void say(const Environment& environment, std::string_view text);
void warn(const Environment& environment, const std::vector<std::string>& warnings);

// An option or argument of a command: its declaration, and what a command line gave. Owned by its
// command. Declaring functions return it, so that calls can be chained.
struct CommandOption {
  CommandOption() = default;
  CommandOption(const CommandOption&) = delete;
  CommandOption& operator=(const CommandOption&) = delete;

  std::vector<std::string> names = {};  // "--quiet", "-h"; "FILE" for an argument
  std::string group = {};               // "": hidden in help
  std::string value_name = {};
  std::string doc = {};
  std::string default_text = {};
  std::string bare_value = {};  // value if none is given
  std::string meant_by = {};    // option of other commands that users write by mistake for this one
  bool takes_value = true;      // in a separate word; a switch only accepts one after '='
  bool may_lack_value = false;
  bool is_list = false;
  bool is_comma_separated = false;
  bool is_required = false;
  bool is_common = false;
  // Return an error message, or an empty text if the value is valid.
  std::vector<std::function<std::string(const std::string&)>> checks = {};
  std::function<bool(const std::vector<std::string>& values)> take = {};  // false: invalid value
  std::function<std::string()> variable = {};  // returns its current value
  std::vector<const CommandOption*> excluded = {};
  const CommandOption* needed = nullptr;
  // Set by parsing.
  bool is_given = false;
  std::vector<std::string> values = {};

  [[nodiscard]] const std::string& name() const { return names.front(); }
  [[nodiscard]] bool is_argument() const { return !name().starts_with('-'); }
  [[nodiscard]] bool is_output() const;  // names a file that is written

  // Restrict the values; anything else is a usage error that lists them.
  CommandOption& one_of(const std::vector<std::string>& choices);
  CommandOption& whole_number(std::int64_t min, std::int64_t max);
  CommandOption& number(double min, double max, const std::string& unit);
  CommandOption& folder();
  CommandOption& required() { return with(&CommandOption::is_required, true); }
  // Help shows the variable's current value as the default.
  CommandOption& with_default() { return variable ? with_default(variable()) : *this; }
  CommandOption& with_default(const std::string& shown) {
    return with(&CommandOption::default_text, shown);
  }
  // Makes the value optional, with this default.
  CommandOption& with_value_when_bare(const std::string& value) {
    return with(&CommandOption::may_lack_value, true)
        .with(&CommandOption::bare_value, value)
        .with_default(value);
  }
  CommandOption& comma_separated() { return with(&CommandOption::is_comma_separated, true); }
  CommandOption& excludes(CommandOption& other);
  CommandOption& needs(const CommandOption& other) { return with(&CommandOption::needed, &other); }
  CommandOption& described_as(const std::string& text) { return with(&CommandOption::doc, text); }
  // If a user writes `option`, which other commands have, the error suggests this one.
  CommandOption& hint_for(const std::string& option) {
    return with(&CommandOption::meant_by, option);
  }
  // Shown by --help; other options only by --help-all.
  CommandOption& common() { return with(&CommandOption::is_common, true); }

 private:
  template <typename Member, typename Value>
  CommandOption& with(Member CommandOption::*member, const Value& value) {
    this->*member = value;
    return *this;
  }
};

// A command, or the program, which owns all commands. Must not be moved: others point to it.
struct Command {
  const Environment* environment = nullptr;  // null: a program that only declares and parses
  Command* parent = nullptr;
  std::string name = {};
  std::string doc = {};
  std::string footer = {};               // end of its help: examples, exit status
  std::string group = {};                // group in the help of its parent
  bool needs_command = false;            // a subcommand is required
  std::function<void()> on_parsed = {};  // after parsing, before anything runs
  std::function<int()> on_call = {};     // runs the command; returns the exit status
  std::list<Command> commands = {};
  std::list<CommandOption> options = {};
  // Set by parsing.
  Command* given_command = nullptr;
  std::vector<std::string> unread_words = {};  // including "--"

  Command& add(const std::string& command, const std::string& meaning,
               const std::string& ending = {}, const std::string& in_group = "Commands");
  // `flag` is the option with the name of its value, "--shard I/N", or without, "--profile", if it
  // takes one_of() some values. Value: std::string, a vector of it for one value per use,
  // std::filesystem::path, a number, or std::optional of a number.
  template <typename Value>
  CommandOption& option(const std::string& in_group, const std::string& flag, Value& value,
                        const std::string& meaning);
  // Passes the value to `take`.
  CommandOption& option_function(const std::string& in_group, const std::string& flag,
                                 const std::function<void(const std::string&)>& take,
                                 const std::string& meaning);
  CommandOption& flag(const std::string& in_group, const std::string& flag, bool& value,
                      const std::string& meaning);
  // Calls `take` if given.
  CommandOption& flag_function(const std::string& in_group, const std::string& flag,
                               const std::function<void()>& take, const std::string& meaning);
  // "--profile{native}": an optional value with its default.
  CommandOption& flag(const std::string& in_group, const std::string& flag, std::string& value,
                      const std::string& meaning);
  // A switch without a variable, read by parse_words() or is_given().
  void add_switch(const std::string& in_group, const std::string& flag,
                  const std::string& meaning) {
    new_option(in_group, flag, meaning).takes_value = false;
  }
  // A positional argument; `value_name` tells completion what to offer.
  template <typename Value>
  CommandOption& argument(const std::string& argument, Value& value, const std::string& meaning,
                          const std::string& value_name = {}) {
    CommandOption& declared = option("Arguments", argument, value, meaning);
    declared.value_name = value_name;
    return declared;
  }
  // Sets on_call to `call` with new values that live as long as the command. Returns them, to be
  // bound to options.
  template <typename Values>
  Values& calls(int (*call)(const Values&, const Environment&)) {
    const auto values = std::make_shared<Values>();
    on_call = [values, call, this] { return call(*values, *environment); };
    return *values;
  }
  // Adds --help, --help-all, --color and --force to this command and its subcommands.
  void add_general_options();

  [[nodiscard]] std::string full_name() const;  // "stepbench data make"
  // Null if there is none.
  [[nodiscard]] Command* find_command(std::string_view command);
  [[nodiscard]] const Command* find_command(std::string_view command) const;
  // By name with dashes, or by name of an argument.
  [[nodiscard]] CommandOption* find_option(std::string_view option);
  [[nodiscard]] const CommandOption* find_option(std::string_view option) const;
  // The argument that the next word is for, by the values that were read; null if there is none.
  [[nodiscard]] CommandOption* next_argument();
  [[nodiscard]] bool is_given(std::string_view option) const;
  [[nodiscard]] bool has_unread_words() const;
  // Value of the last --color on the line; empty if there is none.
  [[nodiscard]] std::string color() const;

 private:
  CommandOption& new_option(const std::string& in_group, const std::string& flag,
                            const std::string& meaning);
};

// Assigns the text of an option to its variable; false if it is invalid.
inline bool take_value(const std::string& text, std::string& value) {
  value = text;
  return true;
}
inline bool take_value(const std::string& text, std::filesystem::path& value) {
  value = text;
  return true;
}
template <typename Number>
requires std::is_arithmetic_v<Number>
bool take_value(const std::string& text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end;
}
template <typename Number>
bool take_value(const std::string& text, std::optional<Number>& value) {
  return take_value(text, value.emplace());
}

template <typename Value>
CommandOption& Command::option(const std::string& in_group, const std::string& flag, Value& value,
                               const std::string& meaning) {
  CommandOption& option = new_option(in_group, flag, meaning);
  if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    option.is_list = true;
    option.take = [&value](const std::vector<std::string>& values) {
      value = values;
      return true;
    };
  } else {
    option.take = [&value](const auto& values) { return take_value(values.back(), value); };
    if constexpr (requires(std::ostringstream & out) { out << value; }) {
      option.variable = [&value] { return (std::ostringstream() << value).str(); };
    }
  }
  return option;
}

// An error in the command line, in our words.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace stepbench::cli
