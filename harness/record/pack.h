// SPDX-License-Identifier: Apache-2.0
// Compresses text to gzip. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::record {

// One gzip member. `level`: 1 is fastest, 12 is smallest.
inline constexpr int kPackLevel = 9;
[[nodiscard]] std::string gzip_text(std::string_view text, int level = kPackLevel);

}  // namespace stepbench::record
