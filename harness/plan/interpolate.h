// SPDX-License-Identifier: Apache-2.0
// ${NAME} and ${NAME:-default} in values. `$$` is a dollar sign.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace stepbench::plan {

using InterpolationVariables = std::span<const std::pair<std::string, std::string>>;

// The text with variables filled in; an empty variable takes its default, as in a shell. Throws
// Error saying what is wrong: a missing variable without default, an unfinished ${.
[[nodiscard]] std::string interpolate(std::string_view text, InterpolationVariables variables);

// Of a path: "~/x" with the home folder in place of "~". Throws Error for "~user", "$NAME", which
// only a shell fills in, and when HOME is not set.
[[nodiscard]] std::string expand_home(std::string_view path, InterpolationVariables variables);

// YAML ends an unquoted value at '{', '}' and ',' inside a flow group. These two hide such
// characters of a ${...} from the parser, byte for byte, so that places stay right, and bring them
// back.
[[nodiscard]] std::string protect_interpolation(std::string_view text);
[[nodiscard]] std::string restore_interpolation(std::string_view text);

}  // namespace stepbench::plan
