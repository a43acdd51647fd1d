// SPDX-License-Identifier: Apache-2.0
// A command line that wraps the worker's, such as a profiler. Throws ConfigError.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/machine/devices.h"

namespace stepbench::run {

// Splits a command line as a shell would: at blanks; '...', "..." and backslashes quote. Throws
// ConfigError with `where` for an unterminated quote.
[[nodiscard]] std::vector<std::string> split_command(std::string_view line,
                                                     const std::string& where);

// Replaces {name} by its value; throws ConfigError for an unknown name, listing the known ones.
[[nodiscard]] std::vector<std::string> fill_in(
    const std::vector<std::string>& words,
    const std::vector<std::pair<std::string, std::string>>& values, const std::string& where);

// Names allowed in braces in --wrap, with their values for a launch.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> wrap_values(
    const std::string& run_dir, const std::string& case_id, int launch);

// Throws ConfigError before the first launch for an unknown name in braces or a missing program.
void check_wrap(const std::vector<std::string>& words, const machine::Variables& variables);

// Returns what a wrapper lacks to see the measured steps without ending the worker; nullopt if
// nothing.
[[nodiscard]] std::optional<std::string> wrap_warning(const std::vector<std::string>& words);

}  // namespace stepbench::run
