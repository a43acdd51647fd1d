// SPDX-License-Identifier: Apache-2.0
// `--python SCRIPT`: an experiment of one case, of a script as it is, in place of a YAML file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

struct ScriptOptions {
  std::string path;
  std::vector<std::string> arguments;  // the script's own
  const Command* command = nullptr;    // that has these options
  bool may_be_missing = false;         // here: a commit of the history has it
};

// Behind add_experiment(): it may stand in place of FILE.
void add_script(Command& command, ScriptOptions& script);
// A FILE that ends in .py is a script too. Both live as long as the command line.
void take_script_file(ScriptOptions& script, std::string& file);
// The same when the line is read, and one of the two must be given.
void require_experiment(Command& command, ScriptOptions& script, std::string& file);

// The experiment's text where it is in no file: with --python, where `file` then says so, and of
// standard input. Throws UsageError for arguments that belong to nothing, and for a script that is
// not there.
[[nodiscard]] std::optional<std::string> experiment_text(const ScriptOptions& script,
                                                         std::string& file);

// What is to be said of a script whose loops' names stand in no string; nullopt: nothing.
[[nodiscard]] std::optional<std::string> note_of_loops(const ScriptOptions& script);

}  // namespace stepbench::cli
