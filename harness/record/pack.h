// SPDX-License-Identifier: Apache-2.0
// Texts as gzip. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::record {

// One gzip member. `level`: 1 is quick, 12 is small.
inline constexpr int kPackLevel = 9;
[[nodiscard]] std::string gzip_text(std::string_view text, int level = kPackLevel);

}  // namespace stepbench::record
