// SPDX-License-Identifier: Apache-2.0
// Parses a command line by the declarations of commands. One thread.
#pragma once

#include <string>
#include <vector>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

enum class Asked { kCall, kHelp, kHelpAll, kVersion };

// Parses words[1...] into the options of `program` and of the named subcommands, then calls their
// on_parsed(), innermost first. Help takes precedence over all errors except an unknown command.
// Throws UsageError.
[[nodiscard]] Asked parse_words(Command& program, const std::vector<std::string>& words);

// "FILE is missing: the experiment, a YAML file"
[[nodiscard]] std::string missing_text(const CommandOption& option);

}  // namespace stepbench::cli
