// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "harness/base/value.h"

namespace stepbench {

// A whole or a real number; nothing of anything else.
[[nodiscard]] inline std::optional<double> number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

// Of the value with this name in a map from names to values; nothing also where it has none.
template <typename Values>
[[nodiscard]] std::optional<double> number_of(const Values& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : number_of(found->second);
}

}  // namespace stepbench
