// SPDX-License-Identifier: Apache-2.0
// What a history holds, as a table: one row for each series. Pure; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "harness/track/history.h"

namespace stepbench::report {

// `newest`: of each series its newest point, and all runs. `whole`: also series that are kept to
// explain others (phases). Empty without series.
[[nodiscard]] std::string history_list(const track::History& newest,
                                       const std::map<std::string, track::SeriesExtent>& extents,
                                       bool whole, std::size_t terminal_columns, bool colour);

}  // namespace stepbench::report
