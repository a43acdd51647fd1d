// SPDX-License-Identifier: Apache-2.0
// Generates the text of --help, --help-all and `stepbench help` from the declarations of commands
// and options. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

struct HelpStyle {
  std::size_t columns = 80;
  bool colour = false;      // headings in bold
  bool all = false;         // all options, even if they exceed one screen
  std::string prefix = {};  // prefix of long options except --help: "sb-"
};

// Longer help is reduced to the common options and the first examples.
inline constexpr std::size_t kHelpLines = 40;

// Description, usage, subcommands and options by group, footer.
[[nodiscard]] std::string help_text(const Command& command, const HelpStyle& style);

// The beginning of a meaning, up to its first ';' or '.'.
[[nodiscard]] std::string first_clause(std::string text);

// "stepbench run FILE [OPTIONS]"
[[nodiscard]] std::string usage_line(const Command& command);
// "--set KEY=VALUE", "--profile[=native|kineto]", "-h, --help", "FILE"
[[nodiscard]] std::string option_head(const CommandOption& option, const std::string& prefix = {});

}  // namespace stepbench::cli
