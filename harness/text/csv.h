// SPDX-License-Identifier: Apache-2.0
// One cell of a CSV file (RFC 4180). Pure; any thread.
#pragma once

#include <string>

namespace stepbench {

// Quoted where commas, quotes or line ends would split it.
[[nodiscard]] std::string csv_cell(const std::string& text);

}  // namespace stepbench
