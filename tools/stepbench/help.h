// SPDX-License-Identifier: Apache-2.0
// The text of --help and of `stepbench help`, made from the declarations of commands and options.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stepbench::cli {

// How the lines are laid out.
struct HelpStyle {
  std::size_t columns = 80;
  bool colour = false;  // headings in bold
};

// What the command does, its usage, its commands and options by group, its footer.
[[nodiscard]] std::string help_text(const CLI::App& command, const HelpStyle& style);

// "stepbench run"
[[nodiscard]] std::string full_name(const CLI::App& command);
// "stepbench run FILE [OPTIONS]"
[[nodiscard]] std::string usage_line(const CLI::App& command);
// "--set KEY=VALUE", "--profile[=native|kineto]", "-h, --help", "FILE"
[[nodiscard]] std::string option_head(const CLI::Option& option);

}  // namespace stepbench::cli
