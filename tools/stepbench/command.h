// SPDX-License-Identifier: Apache-2.0
// How commands and their options are declared; parse.h reads a command line by them, help.h and
// complete.h show them. A file per command: declare, call the library, print.
#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <list>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/os/file_check.h"

namespace stepbench::cli {

// The group of --help, --version and --color.
inline constexpr const char* kGeneralOptions = "General";
inline constexpr const char* kOutputOptions = "Output";
// Of each command that writes a file which an option names.
inline constexpr const char* kForce = "--force";

// What a command may use of the outside world; read once, in main().
struct Environment {
  std::ostream& out;
  std::ostream& err;
  bool in_is_terminal = false;  // so that a question can be answered
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;      // --color; by default on a terminal unless NO_COLOR is set
  bool err_colour = false;  // the same for `err`
  int terminal_columns = 100;
  std::function<int()> err_columns = [] { return 0; };  // of `err` at this moment; 0: no terminal
  std::vector<std::string> argv = {};
  std::vector<std::pair<std::string, std::string>> variables = {};  // the process environment
  std::string program_dir = {};  // where this program lies: the worker is looked for beside it
  std::vector<os::NamedFile> outputs = {};  // the files that the options of this call name
};

// On standard output, which is flushed. Throws ConfigError where it cannot be written.
void print(const Environment& environment, std::string_view text);

// An option or argument of a command: what is declared of it, and what a command line gave it. Its
// command owns it. What declares it returns it, so that declarations can be chained.
struct CommandOption {
  CommandOption() = default;
  CommandOption(const CommandOption&) = delete;
  CommandOption& operator=(const CommandOption&) = delete;

  std::vector<std::string> names = {};  // "--quiet", "-h"; or "FILE" of an argument
  std::string group = {};               // "": help does not show it
  std::string value_name = {};
  std::string doc = {};
  std::string default_text = {};
  std::string bare_value = {};  // without a value it is this one
  std::string meant_by = {};    // an option of other commands that people write for it
  bool takes_value = true;      // in a word of its own; of a switch: only behind '='
  bool may_lack_value = false;
  bool is_list = false;
  bool is_one_each_time = false;  // of a list; else it takes all words that follow
  bool is_comma_separated = false;
  bool is_required = false;
  bool is_common = false;
  // What is wrong with a value, or nothing.
  std::vector<std::function<std::string(const std::string&)>> checks = {};
  std::function<bool(const std::vector<std::string>& values)> take = {};  // false: no such value
  std::function<std::string()> variable = {};                             // the value it has
  std::vector<const CommandOption*> excluded = {};
  const CommandOption* needed = nullptr;
  // On the command line that was parsed.
  bool is_given = false;
  std::vector<std::string> values = {};

  [[nodiscard]] const std::string& name() const { return names.front(); }
  [[nodiscard]] bool is_argument() const { return !name().starts_with('-'); }
  [[nodiscard]] bool is_output() const;  // names a file that is written

  // What values it takes; anything else is a usage error that names them.
  CommandOption& one_of(const std::vector<std::string>& choices);
  CommandOption& whole_number(std::int64_t min, std::int64_t max);
  CommandOption& number(double min, double max, const std::string& unit);
  CommandOption& folder();
  CommandOption& required() { return with(&CommandOption::is_required, true); }
  // The variable's value is the default, which help shows.
  CommandOption& with_default() { return variable ? with_default(variable()) : *this; }
  CommandOption& with_default(const std::string& shown) {
    return with(&CommandOption::default_text, shown);
  }
  // It may stand without a value, which then is this one.
  CommandOption& with_value_when_bare(const std::string& value) {
    return with(&CommandOption::may_lack_value, true)
        .with(&CommandOption::bare_value, value)
        .with_default(value);
  }
  CommandOption& comma_separated() {
    return with(&CommandOption::is_comma_separated, true).one_value_each_time();
  }
  // One value each time that it is given; a list without this takes all words that follow.
  CommandOption& one_value_each_time() { return with(&CommandOption::is_one_each_time, true); }
  CommandOption& excludes(CommandOption& other);
  CommandOption& needs(const CommandOption& other) { return with(&CommandOption::needed, &other); }
  CommandOption& described_as(const std::string& text) { return with(&CommandOption::doc, text); }
  // Who writes `option`, which other commands have, is asked whether this one was meant.
  CommandOption& hint_for(const std::string& option) {
    return with(&CommandOption::meant_by, option);
  }
  // What most people need: --help shows it, not --help-all alone.
  CommandOption& common() { return with(&CommandOption::is_common, true); }

 private:
  template <typename Member, typename Value>
  CommandOption& with(Member CommandOption::*member, const Value& value) {
    this->*member = value;
    return *this;
  }
};

// A command, or the program with all of them, which owns them. Stays where it is.
struct Command {
  const Environment* environment = nullptr;  // null: of a program that only declares and parses
  Command* parent = nullptr;
  std::string name = {};
  std::string doc = {};
  std::string footer = {};               // what its help ends with: examples, exit status
  std::string group = {};                // in the help of its parent
  bool needs_command = false;            // one of those below it must be named
  std::function<void()> on_parsed = {};  // when the words are read, before anything runs
  std::function<int()> on_call = {};     // what it does; returns the exit status
  std::list<Command> commands = {};
  std::list<CommandOption> options = {};
  // On the command line that was parsed.
  Command* given_command = nullptr;
  std::vector<std::string> unread_words = {};  // with the "--" among them

  // A command below this one.
  Command& add(const std::string& command, const std::string& meaning,
               const std::string& ending = {}, const std::string& in_group = "Commands");
  // `flag` names an option and its value, as "--shard I/N" or "--profile"; a value without a name
  // is one_of() some. Value: std::string, a vector of it, std::filesystem::path, a number, or
  // std::optional of one.
  template <typename Value>
  CommandOption& option(const std::string& in_group, const std::string& flag, Value& value,
                        const std::string& meaning);
  // The value goes to `take`.
  CommandOption& option_function(const std::string& in_group, const std::string& flag,
                                 const std::function<void(const std::string&)>& take,
                                 const std::string& meaning);
  // One value each time that it is given.
  CommandOption& repeated(const std::string& in_group, const std::string& flag,
                          std::vector<std::string>& values, const std::string& meaning) {
    return option(in_group, flag, values, meaning).one_value_each_time();
  }
  CommandOption& flag(const std::string& in_group, const std::string& flag, bool& value,
                      const std::string& meaning);
  // "--profile{native}": it may have a value, and this one when it has none.
  CommandOption& flag(const std::string& in_group, const std::string& flag, std::string& value,
                      const std::string& meaning);
  // One that parse_words() or who asks is_given() knows.
  void add_switch(const std::string& in_group, const std::string& flag,
                  const std::string& meaning) {
    new_option(in_group, flag, meaning).takes_value = false;
  }
  // A word without a flag; `value_name` tells completion what to offer.
  template <typename Value>
  CommandOption& argument(const std::string& argument, Value& value, const std::string& meaning,
                          const std::string& value_name = {}) {
    CommandOption& declared = option("Arguments", argument, value, meaning);
    declared.value_name = value_name;
    return declared;
  }
  // Of values that live as long as the command: options fill them in, `call` gets them.
  template <typename Values>
  Values& calls(int (*call)(const Values&, const Environment&)) {
    const auto values = std::make_shared<Values>();
    on_call = [values, call, this] { return call(*values, *environment); };
    return *values;
  }
  // --help, --help-all, --color and --force of this command and of those below it.
  void add_general_options();

  [[nodiscard]] std::string full_name() const;  // "stepbench data make"
  // Null without one of this name.
  [[nodiscard]] Command* find_command(std::string_view command);
  [[nodiscard]] const Command* find_command(std::string_view command) const;
  // By its name with dashes, or that of an argument.
  [[nodiscard]] CommandOption* find_option(std::string_view option);
  [[nodiscard]] const CommandOption* find_option(std::string_view option) const;
  [[nodiscard]] bool is_given(std::string_view option) const;
  [[nodiscard]] bool has_unread_words() const;
  // The last --color, wherever it stands; empty without one.
  [[nodiscard]] std::string color() const;

 private:
  CommandOption& new_option(const std::string& in_group, const std::string& flag,
                            const std::string& meaning);
};

// Puts the words of an option into its variable; false: they are no such value.
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

// What is wrong with a command line, in our words.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace stepbench::cli
