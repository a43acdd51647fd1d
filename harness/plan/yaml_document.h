// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/plan/config_node.h"

namespace stepbench {

// Bounds that no honest file meets and no hostile one passes.
struct YamlLimits {
  std::size_t bytes = std::size_t{8} << 20;
  std::size_t nodes = 1'000'000;  // after expansion of aliases
  int depth = 32;
};

// The whole of a file. Throws ConfigError when it cannot be read or is larger than `limits.bytes`.
[[nodiscard]] std::string read_config_text(const std::filesystem::path& file,
                                           const YamlLimits& limits = {});

// `source` names the text in errors: "sweep.yaml". Throws ConfigError{source:line:column} for
// syntax errors, repeated keys, keys that are no plain text, more than one document, and aliases
// that expand beyond the limits.
// ${NAME:-default} may stand unquoted anywhere, also inside {...} and [...].
[[nodiscard]] ConfigNode parse_yaml(std::string_view text, const std::string& source,
                                    const YamlLimits& limits = {});

[[nodiscard]] std::string place(const std::string& source, Mark mark);  // "sweep.yaml:12:5"

}  // namespace stepbench
