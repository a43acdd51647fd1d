// SPDX-License-Identifier: Apache-2.0
// What a step consists of, case by case: its phases as stacked bars that sum to the step, on the
// host and on the device, and what was found about each case. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/document/document.h"
#include "harness/report/case_table.h"
#include "harness/report/html/draw_options.h"

namespace stepbench::report {

// Of more cases the best ones are drawn, and the figures say so.
inline constexpr std::size_t kMaxAnatomyCases = 40;

// Nothing where no case has phases.
[[nodiscard]] std::optional<document::Chapter> anatomy_section(const TableFacts& facts,
                                                               const DrawOptions& options);

}  // namespace stepbench::report
