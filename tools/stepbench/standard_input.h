// SPDX-License-Identifier: Apache-2.0
// Reads standard input for `-` in place of a file.
#pragma once

#include <optional>
#include <string>

namespace stepbench::cli {

// Returns all of standard input if `file` is `-`; nullopt otherwise. Throws ConfigError if it is
// too large for an experiment.
[[nodiscard]] std::optional<std::string> text_if_standard_input(const std::string& file);

}  // namespace stepbench::cli
