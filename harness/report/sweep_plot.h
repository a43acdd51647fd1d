// SPDX-License-Identifier: Apache-2.0
// The table of cases as a picture: a bar for each case, from 0 to its number, with the interval
// drawn on it. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/document/table.h"
#include "harness/report/case_table.h"

namespace stepbench::report {

struct SweepPlot {
  std::string heading;  // what the bars are, and which ones are better
  document::Table grid;
};

// Of what the table is judged by, or of the column that `style.select` names. In the table's order;
// where several options vary, the cases with one value of the first of them stand together, unless
// `style.sort` orders the rows. `style.pivot`: grouped by its first option, ordered by its second.
// Throws ConfigError at --columns and --pivot for what cannot be drawn.
[[nodiscard]] SweepPlot sweep_plot(const TableFacts& facts, const TableStyle& style,
                                   std::size_t terminal_columns);

// A bar of `cells` at `most`. An interval wider than a cell is drawn over its end: ├─┼─┤.
[[nodiscard]] std::string bar_with_interval(double value, const stats::Interval& interval,
                                            double most, std::size_t cells);

}  // namespace stepbench::report
