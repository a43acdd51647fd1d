// SPDX-License-Identifier: Apache-2.0
// A command line put before the worker's, as that of a profiler. Throws ConfigError.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/machine/devices.h"

namespace stepbench::run {

// A command line as a shell would split it: blanks separate, '...' and "..." and a backslash quote.
// Throws ConfigError with `where` for an open quote.
[[nodiscard]] std::vector<std::string> split_command(std::string_view line,
                                                     const std::string& where);

// Puts {name} from `values` into each word; throws ConfigError for another name, saying which there
// are.
[[nodiscard]] std::vector<std::string> fill_in(
    const std::vector<std::string>& words,
    const std::vector<std::pair<std::string, std::string>>& values, const std::string& where);

// What may stand in braces in --wrap, as a launch fills it in.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> wrap_values(
    const std::string& run_dir, const std::string& case_id, int launch);

// Throws ConfigError now for what would go wrong at the first launch: an unknown name in braces, a
// program that is not there.
void check_wrap(const std::vector<std::string>& words, const machine::Variables& variables);

// What a wrapper lacks to see measured steps without ending the worker; nullopt if it lacks
// nothing.
[[nodiscard]] std::optional<std::string> wrap_warning(const std::vector<std::string>& words);

}  // namespace stepbench::run
