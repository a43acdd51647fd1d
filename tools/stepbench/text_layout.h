// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stepbench::cli {

// Cells as aligned columns, two spaces apart, numbers to the right. The first row is the head.
[[nodiscard]] std::string align(const std::vector<std::vector<std::string>>& rows);

// Words broken into lines of at most `width`, each after `indent` spaces.
[[nodiscard]] std::string wrap(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace stepbench::cli
