// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace stepbench {

[[nodiscard]] inline std::string number_text(double value) {  // "0.5", "12.3"
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, value < 10 ? 2 : 1)
                       .ptr;
  return {text.data(), end};
}

[[nodiscard]] inline std::string percent_text(double share) {  // "3.25 %"
  return number_text(share * 100) + " %";
}

}  // namespace stepbench
