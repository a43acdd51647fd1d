// SPDX-License-Identifier: Apache-2.0
// ${NAME} and ${NAME:-default} in values. `$$` is a dollar sign.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace stepbench::plan {

using InterpolationVariables = std::span<const std::pair<std::string, std::string>>;

// Fills in variables; an empty variable takes its default, as in a shell. Throws Error with the
// problem: a missing variable without default, an unterminated ${.
[[nodiscard]] std::string interpolate(std::string_view text, InterpolationVariables variables);

// Replaces the "~" of a path "~/x" by the home folder. Throws Error for "~user" and "$NAME", which
// only a shell expands, and if HOME is not set.
[[nodiscard]] std::string expand_home(std::string_view path, InterpolationVariables variables);

// YAML ends an unquoted value at '{', '}' and ',' inside a flow group. These two functions hide
// such characters of a ${...} from the parser and restore them, byte for byte, so that locations
// stay right.
[[nodiscard]] std::string protect_interpolation(std::string_view text);
[[nodiscard]] std::string restore_interpolation(std::string_view text);

}  // namespace stepbench::plan
