// SPDX-License-Identifier: Apache-2.0
// The steps themselves, launch by launch: how they are distributed, with the percentiles of the
// table, and how they went over time, with the reason of what was flagged. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/document/document.h"
#include "harness/report/case_table.h"
#include "harness/report/html/draw_options.h"

namespace stepbench::report {

// The best cases, and beside them as many at most that a finding warns of.
inline constexpr std::size_t kMaxDistributions = 12;

// Nothing where no steps were recorded.
[[nodiscard]] std::optional<document::Chapter> distributions_section(const TableFacts& facts,
                                                                     const DrawOptions& options);

}  // namespace stepbench::report
