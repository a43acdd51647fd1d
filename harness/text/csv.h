// SPDX-License-Identifier: Apache-2.0
// One cell of a CSV file (RFC 4180). Pure; any thread.
#pragma once

#include <string>

namespace stepbench::text {

// Quoted where commas, quotes or line ends would split it; control characters but the line end are
// made visible as by printable(). A text that a spreadsheet would run as a formula, one that begins
// with = + - or @ and is no number, gets a single quote in front.
[[nodiscard]] std::string csv_cell(const std::string& text);

}  // namespace stepbench::text
