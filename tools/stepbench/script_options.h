// SPDX-License-Identifier: Apache-2.0
// `--python SCRIPT`: an experiment with one case that runs a script unchanged, in place of a YAML
// file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

struct ScriptOptions {
  std::string path;
  std::vector<std::string> arguments;  // the script's own
  const Command* command = nullptr;    // the command with these options
  bool may_be_missing = false;         // may be missing here, since a commit of the history has it
};

// Call after add_experiment(): the script replaces FILE.
void add_script(Command& command, ScriptOptions& script);
// Treats a FILE that ends in .py as a script, too. Both must live as long as the command line.
void take_script_file(ScriptOptions& script, std::string& file);
// Does the same after parsing, and requires one of the two.
void require_experiment(Command& command, ScriptOptions& script, std::string& file);

// The experiment's text if it is not in a file: for --python, which also sets `file`, and for
// standard input. Throws UsageError for stray arguments and for a missing script.
[[nodiscard]] std::optional<std::string> experiment_text(const ScriptOptions& script,
                                                         std::string& file);

// Note on a script with loop names that are not literals; nullopt if there are none.
[[nodiscard]] std::optional<std::string> note_of_loops(const ScriptOptions& script);

}  // namespace stepbench::cli
