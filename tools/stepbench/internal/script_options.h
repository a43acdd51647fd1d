// SPDX-License-Identifier: Apache-2.0
// `--python SCRIPT`: an experiment with one case that runs a script unchanged, in place of a YAML
// file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

struct ScriptOptions {
  std::string path = {};
  std::vector<std::string> arguments = {};  // the script's own
  const Command* command = nullptr;         // the command with these options
  bool may_be_missing = false;  // may be missing here, since a commit of the history has it
};

// FILE, or --python SCRIPT instead of it; a FILE that ends in .py is a script, too. `required`: one
// of the two. Returns FILE. Script and file must live as long as the command line.
CommandOption& add_experiment(Command& command, std::string& file, ScriptOptions& script,
                              bool required = true);

// Sets the experiment's text if it is not in a file: for --python, which also sets the file, and
// for standard input. Throws UsageError for stray arguments and for a missing script.
void read_experiment(const ScriptOptions& script, plan::PlanRequest& request);

// Note on a script with loop names that are not literals; nullopt if there are none.
[[nodiscard]] std::optional<std::string> note_of_loops(const ScriptOptions& script);

}  // namespace stepbench::cli
