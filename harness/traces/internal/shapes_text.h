// SPDX-License-Identifier: Apache-2.0
// Canonical text for the shapes of an operator's inputs, whoever wrote them. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::traces {

// True for a JSON array of integers and such arrays, which can be copied into JSON unchanged.
[[nodiscard]] bool are_plain_shapes(std::string_view shapes);

// Formats a JSON array with one blank after each comma and no others outside of its strings:
// "[[8,32],[]]" -> "[[8, 32], []]".
[[nodiscard]] std::string spaced_array(std::string_view json);

// Shapes as a reader finds them after the writer wrote them.
[[nodiscard]] std::string shapes_text(std::string_view shapes);

// The same for inputs that are not tensors, ["", "[2, 2]", "True"]: if all are plain words, the
// text can be copied into JSON unchanged.
[[nodiscard]] bool are_plain_arguments(std::string_view arguments);
[[nodiscard]] std::string arguments_text(std::string_view arguments);

}  // namespace stepbench::traces
