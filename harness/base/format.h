// SPDX-License-Identifier: Apache-2.0
// Text with values in it, by libfmt: formatted("{} of {} launches", 3, 10). Only libfmt's light
// header is included here; its code is compiled once, in format.cpp.
#pragma once

#include <fmt/core.h>

#include <string>

namespace stepbench {

[[nodiscard]] std::string formatted_text(fmt::string_view text, fmt::format_args values);

// Numbers, characters and text, each as in libfmt's syntax; the compiler checks `text` against
// `values`.
template <typename... Values>
[[nodiscard]] std::string formatted(fmt::format_string<Values...> text, Values&&... values) {
  return formatted_text(text, fmt::make_format_args(values...));
}

}  // namespace stepbench
