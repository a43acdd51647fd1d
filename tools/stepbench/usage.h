// SPDX-License-Identifier: Apache-2.0
// What a user reads when a command goes wrong.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace stepbench::cli {

// "stepbench: error: ..." for each line of `message`; the label is red when `colour`.
void print_error(std::ostream& err, const std::string& message, bool colour);

// What is wrong with a command line, with the nearest command or flag and where to read on.
[[nodiscard]] std::string usage_message(const CLI::App& app, const CLI::ParseError& error,
                                        const std::vector<std::string>& argv);

}  // namespace stepbench::cli
