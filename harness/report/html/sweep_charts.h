// SPDX-License-Identifier: Apache-2.0
// What a sweep found, drawn: one varying option as a line or dots with intervals, two as a heat map
// and lines, three as small multiples, more as parallel coordinates and the best cases. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/document/document.h"
#include "harness/report/case_table.h"
#include "harness/report/html/draw_options.h"

namespace stepbench::report {

// Of more cases the best ones are drawn, and the figures say so.
inline constexpr std::size_t kMaxDrawnCases = 2000;

// Nothing where no two cases can be set beside each other.
[[nodiscard]] std::optional<document::Chapter> sweep_section(const TableFacts& facts,
                                                             const DrawOptions& options);

}  // namespace stepbench::report
