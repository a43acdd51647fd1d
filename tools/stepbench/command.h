// SPDX-License-Identifier: Apache-2.0
// How commands and their options are declared and read; CLI11, which parses the command line, is
// behind this header. A file per command: parse, call the library, print.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/os/file_check.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

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

// An option or argument of a command. A handle: copies mean the same one, which lives as long as
// the command line. What declares it returns it, so that declarations can be chained.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option& option) : option_(&option) {}
  bool operator==(const CommandOption&) const = default;

  // What values it takes; anything else is a usage error that names them.
  CommandOption one_of(const std::vector<std::string>& names) const;
  CommandOption whole_number(std::int64_t min, std::int64_t max) const;
  CommandOption number(double min, double max, const std::string& unit) const;
  CommandOption folder() const;
  CommandOption required() const;
  // The variable's value is the default, which help shows.
  CommandOption with_default() const;
  CommandOption with_default(const std::string& shown) const;
  // It may stand without a value, which then is this one.
  CommandOption with_value_when_bare(const std::string& value) const;
  CommandOption comma_separated() const;
  // One value each time that it is given; a list without this takes all words that follow.
  CommandOption one_value_each_time() const;
  CommandOption excludes(CommandOption other) const;
  CommandOption needs(CommandOption other) const;
  CommandOption described_as(const std::string& doc) const;
  // What most people need: --help shows it, not --help-all alone.
  CommandOption common() const;

  // As declared.
  [[nodiscard]] std::string name() const;  // "--set", or "FILE" of an argument
  [[nodiscard]] const std::vector<std::string>& short_names() const;  // without the dash
  [[nodiscard]] const std::vector<std::string>& long_names() const;   // without the dashes
  [[nodiscard]] bool is_argument() const;
  [[nodiscard]] bool is_required() const;
  [[nodiscard]] bool is_comma_separated() const;
  [[nodiscard]] bool takes_value() const;
  [[nodiscard]] bool takes_list() const;
  [[nodiscard]] bool may_lack_value() const;
  [[nodiscard]] std::string value_name() const;
  [[nodiscard]] std::string default_text() const;
  [[nodiscard]] std::string group() const;  // "": help does not show it
  [[nodiscard]] bool is_output() const;     // names a file that is written
  [[nodiscard]] std::string doc() const;
  [[nodiscard]] bool is_common() const;
  // On the command line that was parsed.
  [[nodiscard]] bool is_given() const;
  [[nodiscard]] std::vector<std::string> values() const;

 private:
  friend class Command;
  CLI::Option* option_;
};

// A command, or the program with all of them. A handle as CommandOption is one.
class Command {
 public:
  // What the commands of a command line have in common.
  struct Context {
    const Environment& environment;
    int exit_code = 0;
  };
  Command(CLI::App& app, Context& context) : app_(&app), context_(&context) {}
  // Of a program that parses by itself: to declare options.
  explicit Command(CLI::App& app) : app_(&app), context_(nullptr) {}
  bool operator==(const Command&) const = default;

  // A command below this one.
  [[nodiscard]] Command add(const std::string& name, const std::string& doc,
                            const std::string& footer = {}) const;
  // `flag` names an option and its value, as "--shard I/N" or "--profile"; a value without a name
  // is one_of() some. Value: std::string, a vector of it, std::filesystem::path, int,
  // std::int64_t, std::size_t, double, or std::optional of one of the last three.
  template <typename Value>
  CommandOption option(const std::string& group, const std::string& flag, Value& value,
                       const std::string& doc) const;
  // The value goes to `take`.
  CommandOption option_function(const std::string& group, const std::string& flag,
                                const std::function<void(const std::string&)>& take,
                                const std::string& doc) const;
  // One value each time that it is given.
  CommandOption repeated(const std::string& group, const std::string& flag,
                         std::vector<std::string>& values, const std::string& doc) const;
  CommandOption flag(const std::string& group, const std::string& flag, bool& value,
                     const std::string& doc) const;
  // "--profile{native}": it may have a value, and this one when it has none.
  CommandOption flag(const std::string& group, const std::string& flag, std::string& value,
                     const std::string& doc) const;
  // A word without a flag; `value_name` tells completion what to offer.
  template <typename Value>
  CommandOption argument(const std::string& name, Value& value, const std::string& doc,
                         const std::string& value_name = {}) const;
  // One of those below it must be named; with `optional` none, or one.
  void needs_command(bool optional = false) const;
  // Called when the command's own words are read, before anything runs.
  void on_parsed(const std::function<void()>& check) const;
  // What the command does where none below it is given; returns the exit status.
  void on_call(const std::function<int()>& call) const;
  // Of values that live as long as the command: options fill them in, `call` gets them.
  template <typename Values>
  Values& calls(int (*call)(const Values&, const Environment&)) const {
    const auto values = std::make_shared<Values>();
    on_call([values, call, &environment = environment()] { return call(*values, environment); });
    return *values;
  }
  void show_in_group(const std::string& group) const;

  // As declared.
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] std::string full_name() const;  // "stepbench data make"
  [[nodiscard]] std::string doc() const;
  [[nodiscard]] std::string footer() const;
  [[nodiscard]] const std::string& group() const;
  [[nodiscard]] std::vector<Command> commands() const;
  [[nodiscard]] std::optional<Command> command(const std::string& name) const;
  [[nodiscard]] std::vector<CommandOption> options() const;
  // By its name with dashes, or that of an argument.
  [[nodiscard]] std::optional<CommandOption> find_option(const std::string& name) const;
  [[nodiscard]] bool needs_a_command() const;
  // On the command line that was parsed.
  [[nodiscard]] std::optional<Command> given_command() const;
  [[nodiscard]] bool is_given(const std::string& option) const;
  [[nodiscard]] std::vector<std::string> unread_words() const;
  // The last --color, wherever it stands; empty without one.
  [[nodiscard]] std::string color() const;

  [[nodiscard]] const Environment& environment() const { return context_->environment; }

 private:
  friend class Program;
  // --help, --help-all, --color and --force of this command and of those below it.
  void add_general_options() const;

  CLI::App* app_;
  Context* context_;
};

// What is wrong with a command line.
struct UsageError : std::runtime_error {
  enum class Kind { kMissing, kCount, kValue, kExcludes, kNeeds, kOther };
  explicit UsageError(const std::string& text, Kind what = Kind::kOther)
      : std::runtime_error(text), kind(what) {}
  Kind kind;
};

// The program: its command line, which owns the commands.
class Program {
 public:
  // `environment` outlives it.
  Program(const Environment& environment, const std::string& name, const std::string& doc);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] Command root() const;
  // --version, --help, --help-all and --color, and what help ends with. Behind all commands.
  void complete(const std::string& version, const std::string& footer);

  enum class Result { kCalled, kHelp, kHelpAll, kVersion };
  // Reads words[1...] and calls the command. Throws UsageError, and what commands throw.
  Result run(const std::vector<std::string>& words);
  [[nodiscard]] int exit_code() const { return context_->exit_code; }

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<Command::Context> context_;
};

}  // namespace stepbench::cli
