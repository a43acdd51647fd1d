// SPDX-License-Identifier: Apache-2.0
// A value of an option or a result, named values, and numbers as written to files. Value types; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "harness/base/named_values.h"

namespace stepbench {

// The value of one option, or one field of a result. monostate = null: "not applicable here".
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

// Canonical text: true, 4, 0.001 (shortest form that reads back exactly), the string itself, null.
[[nodiscard]] std::string to_text(const Value& value);
void append_text(std::string& text, const Value& value);

[[nodiscard]] inline bool is_null(const Value& value) {
  return std::holds_alternative<std::monostate>(value);
}

// Returns a whole or a real number; nullopt for other types.
[[nodiscard]] inline std::optional<double> number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

// Returns the number with this name in a map from names to values; nullopt if it is absent.
template <typename Values>
[[nodiscard]] std::optional<double> number_of(const Values& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : number_of(found->second);
}

// Name -> value: facts, recorded options, measured numbers.
using Fields = NamedValues<Value>;

// Returns the text of the value with this name; `otherwise` if it is absent or null.
template <typename Values>
[[nodiscard]] std::string text_of(const Values& values, std::string_view name,
                                  std::string_view otherwise = {}) {
  const auto found = values.find(name);
  const bool known = found != values.end() && !is_null(found->second);
  return known ? to_text(found->second) : std::string(otherwise);
}

// Appends a number as written to files: the shortest text that reads back as the same number; if
// two are equally short, the one without an exponent.

void append_number(std::string& text, std::int64_t number);
// Format of std::to_chars(): 1.5, 1e+07, inf, -nan.
void append_number(std::string& text, double number);

}  // namespace stepbench
