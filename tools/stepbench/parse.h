// SPDX-License-Identifier: Apache-2.0
// Reads the words of a command line by what commands declare. One thread.
#pragma once

#include <string>
#include <vector>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

enum class Asked { kCall, kHelp, kHelpAll, kVersion };

// Reads words[1...] into the options of `program` and of the commands below it that are named, and
// calls what these have for on_parsed(), the innermost first. Help wins over all but an unknown
// command. Throws UsageError.
[[nodiscard]] Asked parse_words(Command& program, const std::vector<std::string>& words);

// "FILE is missing: the experiment, a YAML file"
[[nodiscard]] std::string missing_text(const CommandOption& option);

}  // namespace stepbench::cli
