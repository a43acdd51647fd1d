// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stepbench::cli {

// Cells as aligned columns, two spaces apart, numbers to the right. The first row is the head.
[[nodiscard]] std::string align(const std::vector<std::vector<std::string>>& rows);

// Words broken into lines of at most `width`, each after `indent` spaces.
[[nodiscard]] std::string wrap(const std::string& text, std::size_t width, std::size_t indent);

// "1 launch", "1,024 launches".
[[nodiscard]] std::string counted(std::int64_t count, const std::string& noun);

}  // namespace stepbench::cli
