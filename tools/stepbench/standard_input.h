// SPDX-License-Identifier: Apache-2.0
// `-` in place of a file.
#pragma once

#include <optional>
#include <string>

namespace stepbench::cli {

// All of standard input if `file` is `-`; nullopt for any other. Throws ConfigError when it is too
// large for an experiment.
[[nodiscard]] std::optional<std::string> text_if_standard_input(const std::string& file);

}  // namespace stepbench::cli
