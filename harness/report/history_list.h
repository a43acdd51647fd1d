// SPDX-License-Identifier: Apache-2.0
// What a history holds, as a table: one row for each series. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/track/history.h"

namespace stepbench::report {

// `whole`: also series that are kept to explain others (phases). Empty without series.
[[nodiscard]] std::string history_list(const track::History& history, bool whole,
                                       std::size_t terminal_columns, bool colour);

}  // namespace stepbench::report
