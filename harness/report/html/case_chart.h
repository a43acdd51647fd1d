// SPDX-License-Identifier: Apache-2.0
// What charts of cases share: which number of a case is drawn, in which order, and what a hover
// says of it. The number is that of the table of cases, with its interval; a case without a number
// is never drawn as if it had one. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/document/document.h"
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

struct DrawnValue {
  double centre = 0;  // in the unit of the measure
  estimate::Spread spread = estimate::Spread::kNone;
  stats::Interval interval = {};  // NaN where there is none
};
// Nothing for a row without the number.
[[nodiscard]] std::optional<DrawnValue> drawn_value(const estimate::CaseRow& row,
                                                    const Measure& measure);

// Indices of the rows, the best first by `measure`; those without the number last, in their order.
[[nodiscard]] std::vector<std::size_t> ranking_order(const TableFacts& facts,
                                                     const Measure& measure);
// The same order cut to `most` rows, back in the order of the table.
[[nodiscard]] std::vector<std::size_t> best_rows(const TableFacts& facts, const Measure& measure,
                                                 std::size_t most);

// What a colour stands for where the best case shares it with those that tie with it; empty where
// no case is marked.
[[nodiscard]] std::string best_note(const TableFacts& facts);

// The words for cases. Points into `facts` and `options`.
class CaseWords {
 public:
  CaseWords(const TableFacts& facts, const DrawOptions& options);

  // "num_workers=4 (run 1)"
  [[nodiscard]] std::string label(const estimate::CaseRow& row) const {
    return facts_.names.name(row);
  }
  [[nodiscard]] std::string id(const estimate::CaseRow& row) const {
    return row.case_id.substr(0, digits_);
  }
  // Short enough for an axis or a legend: with the case's id where the label has to be cut.
  [[nodiscard]] std::string tick(const estimate::CaseRow& row) const;
  // For a hover: case, number with its interval and how that came about, launches, commands.
  // `brief`: without the command that measures it again.
  [[nodiscard]] std::string hover(const estimate::CaseRow& row, bool brief = false) const;
  // "stepbench show RUN --case f672f0"
  [[nodiscard]] std::string show_command(const estimate::CaseRow& row) const;

 private:
  const TableFacts& facts_;
  const DrawOptions& options_;
  std::vector<Measure> measures_;
  std::size_t digits_;
};

}  // namespace stepbench::report
