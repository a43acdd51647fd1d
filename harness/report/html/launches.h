// SPDX-License-Identifier: Apache-2.0
// The launches in the order in which they ran: does the machine drift, was it busy or slowed down,
// where did launches fail? Pure; any thread.
#pragma once

#include <optional>

#include "harness/report/case_table.h"
#include "harness/report/html/section.h"

namespace stepbench::report {

// Nothing where there are fewer than two launches.
[[nodiscard]] std::optional<PageSection> launches_section(const TableFacts& facts,
                                                          const DrawOptions& options);

}  // namespace stepbench::report
