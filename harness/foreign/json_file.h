// SPDX-License-Identifier: Apache-2.0
// JSON as programs in Python write it: NaN and Infinity, which are no JSON, become null. Only for
// the .cpp files of this room.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace stepbench::foreign {

using Json = nlohmann::json;

// Throws ConfigError with line and column.
[[nodiscard]] Json parsed_json(std::string_view text, const std::string& file);

// The member of an object as a text: "" where it is not there or is no text.
[[nodiscard]] std::string text_at(const Json& object, const char* name);
// As a finite number.
[[nodiscard]] std::optional<double> number_at(const Json& object, const char* name);

}  // namespace stepbench::foreign
