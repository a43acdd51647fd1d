// SPDX-License-Identifier: Apache-2.0
// Shapes of an operator's inputs as one text, whoever wrote them. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::trace {

// A JSON array of integers and such arrays: stands in JSON as it is.
[[nodiscard]] bool are_plain_shapes(std::string_view shapes);

// A JSON array with one blank behind each comma and no others outside of its strings:
// "[[8,32],[]]" -> "[[8, 32], []]".
[[nodiscard]] std::string spaced_array(std::string_view json);

// As a reader finds what the writer made of these shapes.
[[nodiscard]] std::string shapes_text(std::string_view shapes);

// The same of inputs that are no tensors, ["", "[2, 2]", "True"]: made of plain words, it stands in
// JSON as it is.
[[nodiscard]] bool are_plain_arguments(std::string_view arguments);
[[nodiscard]] std::string arguments_text(std::string_view arguments);

}  // namespace stepbench::trace
