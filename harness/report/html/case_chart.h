// SPDX-License-Identifier: Apache-2.0
// Which numbers of the cases of a run are drawn, and in which order: those of the table of cases,
// with their intervals; a case without a number is never drawn as if it had one. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/json/json_text.h"
#include "harness/report/case_table.h"
#include "harness/report/html/draw_options.h"

namespace stepbench::report {

struct Measure {
  estimate::Judged by = estimate::Judged::kStep;
  std::string name;  // on a button: "step", "samples/s"
  std::string head;  // of its column in the table of cases: "step [ms]"
  double unit = 1;   // nanoseconds, or 1 per second
};
// Of the table: what its cases are judged by, and then its rate or its time where rows have it.
[[nodiscard]] std::vector<Measure> measures_of(const TableFacts& facts);

// Whether the case has the number.
[[nodiscard]] bool has_number(const estimate::CaseRow& row, const Measure& measure);

// Indices of the rows, the best first by `measure`; those without the number last, in their order.
[[nodiscard]] std::vector<std::size_t> ranking_order(const TableFacts& facts,
                                                     const Measure& measure);
// The same order cut to `most` rows, back in the order of the table.
[[nodiscard]] std::vector<std::size_t> best_rows(const TableFacts& facts, const Measure& measure,
                                                 std::size_t most);

// What a colour stands for where the best case shares it with those that tie with it; empty where
// no case is marked.
[[nodiscard]] std::string best_note(const TableFacts& facts);

// The beginning of the id that tells the case from all others.
[[nodiscard]] std::string short_id(const TableFacts& facts, const estimate::CaseRow& row);

// What all charts of a run share: unit, measures, and of each case its label and its values.
void add_cases(json::JsonText& charts, const TableFacts& facts, const DrawOptions& options);

}  // namespace stepbench::report
