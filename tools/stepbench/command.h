// SPDX-License-Identifier: Apache-2.0
// What main() hands to each command. A file per command: parse, call the library, print.
#pragma once

#include <functional>
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
  bool in_is_terminal = false;  // so that a question can be answered
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;      // --color; by default on a terminal unless NO_COLOR is set
  bool err_colour = false;  // the same for `err`
  bool unicode = true;      // the locale has UTF-8, or says nothing of it
  int terminal_columns = 100;
  std::function<int()> err_columns = [] { return 0; };  // of `err` at this moment; 0: no terminal
  std::vector<std::string> argv = {};
  std::vector<std::pair<std::string, std::string>> variables = {};  // the process environment
  std::string program_dir = {};  // where this program lies: the worker is looked for beside it
};

// Each adds its sub-command to `app`; the callback stores the exit code in `exit_code`. Errors are
// thrown.
void add_plan(CLI::App& app, const Environment& environment, int& exit_code);
void add_list(CLI::App& app, const Environment& environment, int& exit_code);
void add_schema(CLI::App& app, const Environment& environment, int& exit_code);
void add_run(CLI::App& app, const Environment& environment, int& exit_code);
void add_runs(CLI::App& app, const Environment& environment, int& exit_code);
void add_show(CLI::App& app, const Environment& environment, int& exit_code);
void add_ab(CLI::App& app, const Environment& environment, int& exit_code);
void add_compare(CLI::App& app, const Environment& environment, int& exit_code);
void add_report(CLI::App& app, const Environment& environment, int& exit_code);
void add_export(CLI::App& app, const Environment& environment, int& exit_code);
void add_nightly(CLI::App& app, const Environment& environment, int& exit_code);
void add_analyze(CLI::App& app, const Environment& environment, int& exit_code);
void add_track(CLI::App& app, const Environment& environment, int& exit_code);
void add_doctor(CLI::App& app, const Environment& environment, int& exit_code);
void add_data(CLI::App& app, const Environment& environment, int& exit_code);
void add_completion(CLI::App& app, const Environment& environment, int& exit_code);

}  // namespace stepbench::cli
