// SPDX-License-Identifier: Apache-2.0
// Enumerators by name. Each enum lists its names once, in the order of its enumerators:
//
//   enum class Role : std::uint8_t { kKey, kContext };
//   constexpr EnumNames<2> names_of(Role) { return {"key", "context"}; }
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace stepbench {

template <std::size_t n>
using EnumNames = std::array<std::string_view, n>;

template <typename Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires(Enum value) {
  names_of(value);
};

// Returns an empty text for an invalid enumerator.
template <NamedEnum Enum>
[[nodiscard]] constexpr std::string_view name_of(Enum value) {
  const auto names = names_of(value);
  const auto place = static_cast<std::size_t>(value);
  return place < names.size() ? names[place] : std::string_view();
}

template <NamedEnum Enum>
[[nodiscard]] constexpr std::optional<Enum> one_of(std::string_view name) {
  const auto names = names_of(Enum{});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace stepbench
