// SPDX-License-Identifier: Apache-2.0
// The launches in the order in which they ran: does the machine drift, was it busy or slowed down,
// where did launches fail? Pure; any thread.
#pragma once

#include <optional>

#include "harness/document/document.h"
#include "harness/report/case_table.h"
#include "harness/report/html/draw_options.h"

namespace stepbench::report {

// Nothing where there are fewer than two launches.
[[nodiscard]] std::optional<document::Chapter> launches_section(const TableFacts& facts,
                                                                const DrawOptions& options);

}  // namespace stepbench::report
