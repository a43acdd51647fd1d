// SPDX-License-Identifier: Apache-2.0
// A table of the terminal as one of a page: the same words, and what each number is sorted by.
// Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/document/table.h"
#include "harness/text/grid.h"

namespace stepbench::report {

[[nodiscard]] document::Table page_table(const text::Grid& grid, std::string title);

// The number that a cell begins with, in base units where a unit of time or bytes follows: "1,230",
// "1.31x *", "[52.6, 53.4]", "1.50 GiB"; nullopt for any other text.
[[nodiscard]] std::optional<double> cell_number(std::string_view text);

}  // namespace stepbench::report
