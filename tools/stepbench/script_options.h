// SPDX-License-Identifier: Apache-2.0
// `--python SCRIPT`: an experiment of one case, of a script as it is, in place of a YAML file.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace stepbench::cli {

struct ScriptOptions {
  std::string path;
  std::vector<std::string> arguments;  // the script's own
  const CLI::App* command = nullptr;   // that has these options
};

// Behind add_experiment(), whose FILE is not required any more.
void add_script(CLI::App& command, ScriptOptions& script);
// One of the two is.
void require_experiment(CLI::App& command);

// The experiment's text where it is in no file: with --python, where `file` then says so, and of
// standard input. Throws CLI::ParseError for arguments that belong to nothing.
[[nodiscard]] std::optional<std::string> experiment_text(const ScriptOptions& script,
                                                         std::string& file);

}  // namespace stepbench::cli
