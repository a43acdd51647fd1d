// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace stepbench {

// The value of one option, or one field of a result. monostate = null: "has no meaning here".
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

// Canonical text: true, 4, 0.001 (shortest form that reads back exactly), the string itself, null.
[[nodiscard]] std::string to_text(const Value& value);

[[nodiscard]] inline bool is_null(const Value& value) {
  return std::holds_alternative<std::monostate>(value);
}

}  // namespace stepbench
