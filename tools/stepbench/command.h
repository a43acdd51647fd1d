// SPDX-License-Identifier: Apache-2.0
// What main() hands to each command. A file per command: parse, call the library, print.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace stepbench::cli {

// What a command may use of the outside world; read once, in main().
struct Environment {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;      // a terminal, and NO_COLOR unset
  bool err_colour = false;  // the same for `err`
  int terminal_columns = 100;
  std::vector<std::string> argv = {};
  std::vector<std::pair<std::string, std::string>> variables = {};  // the process environment
  std::string program_dir = {};  // where this program lies: the worker is looked for beside it
};

// What --sweep does, in every command that has it.
inline constexpr const char* kSweepHelp =
    "KEY=V1,V2,...: measures each of these values, in a matrix with the file's sweep and other "
    "--sweep; replaces what the file sweeps of this option";

// Each adds its sub-command to `app`; the callback stores the exit code in `exit_code`. Errors are
// thrown.
void add_plan(CLI::App& app, const Environment& environment, int& exit_code);
void add_list(CLI::App& app, const Environment& environment, int& exit_code);
void add_schema(CLI::App& app, const Environment& environment, int& exit_code);
void add_run(CLI::App& app, const Environment& environment, int& exit_code);
void add_show(CLI::App& app, const Environment& environment, int& exit_code);
void add_ab(CLI::App& app, const Environment& environment, int& exit_code);
void add_compare(CLI::App& app, const Environment& environment, int& exit_code);
void add_doctor(CLI::App& app, const Environment& environment, int& exit_code);
void add_data(CLI::App& app, const Environment& environment, int& exit_code);

}  // namespace stepbench::cli
