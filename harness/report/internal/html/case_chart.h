// SPDX-License-Identifier: Apache-2.0
// Selects the numbers of a run's cases to draw, and their order: those of the table of cases, with
// their intervals. Cases without a number are not drawn. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/json/json_text.h"
#include "harness/report/internal/html/chart_json.h"
#include "harness/report/result_tables.h"

namespace stepbench::report {

struct Measure {
  estimate::Judged by = estimate::Judged::kStep;
  std::string name;  // for a button: "step", "samples/s"
  std::string head;  // head of its column in the table of cases: "step [ms]"
  double unit = 1;   // nanoseconds, or 1 per second
};
// The measure that the table's cases are ranked by, then its rate or its time if rows have it.
[[nodiscard]] std::vector<Measure> measures_of(const TableFacts& facts);

[[nodiscard]] bool has_number(const estimate::CaseRow& row, const Measure& measure);

// Row indexes, best first by `measure`; rows without a value last, in their order.
[[nodiscard]] std::vector<std::size_t> ranking_order(const TableFacts& facts,
                                                     const Measure& measure);
// The best `most` rows, in table order.
[[nodiscard]] std::vector<std::size_t> best_rows(const TableFacts& facts, const Measure& measure,
                                                 std::size_t most);

// Note on the colour shared by the best case and those that tie with it; empty if no case is
// marked.
[[nodiscard]] std::string best_note(const TableFacts& facts);

// Shortest prefix of the id that identifies the case.
[[nodiscard]] std::string short_id(const TableFacts& facts, const estimate::CaseRow& row);

// Data shared by all charts of a run: unit, measures, and the label and values of each case.
void add_cases(json::JsonText& charts, const TableFacts& facts, const DrawOptions& options);

}  // namespace stepbench::report
