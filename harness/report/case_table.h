// SPDX-License-Identifier: Apache-2.0
// The table of cases as cells: its columns, their order and contents. Pure; any thread.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/document/table.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/ranking.h"
#include "harness/report/table.h"
#include "harness/text/numbers.h"

namespace stepbench::report {

// Facts shared by all cells of a table.
struct TableFacts {
  const record::Results& results;
  std::vector<estimate::CaseRow> rows;
  // Rows of profiling passes of cases with a timed row.
  std::vector<estimate::CaseRow> profiled;
  std::vector<estimate::CaseRow> skipped;  // by a rule, if there are other rows; a note lists them
  estimate::RowNames names;
  bool baseline = false;  // rows are compared with a baseline instead of the best row
  std::optional<estimate::Judged> by = {};
  std::optional<estimate::Ranking> ranking = {};
  text::TimeUnit unit = {};
  std::string spread_head = {};  // most frequent spread; "" if no row has one
  std::set<estimate::StepClock> clocks = {};
  std::set<bool> latencies = {};  // values of "is a latency" over all rows: one of them, or both
};

[[nodiscard]] TableFacts table_facts(const record::Results& results, const TableStyle& style);
// All rows including skipped ones, for notes.
[[nodiscard]] std::vector<estimate::CaseRow> with_skipped(const TableFacts& facts);
// Head of the column of times: "step [ms]", "step, device [ms]", "latency p50 [us]".
[[nodiscard]] std::string headline_head(const TableFacts& facts);
// Text in place of a row's numbers: "failed: …", "skipped: …", "unfinished".
[[nodiscard]] std::string no_numbers(const estimate::CaseRow& row);
// `select`: columns by any of their names; empty: the most useful ones.
[[nodiscard]] document::Table case_grid(const TableFacts& facts,
                                        const std::vector<std::string>& select);
// For `show --noise`: the case, its step, and the spread of its launches and steps.
[[nodiscard]] document::Table noise_grid(const TableFacts& facts);
// Criterion of the table; the step for rows that cannot be ranked.
[[nodiscard]] estimate::Judged judged(const TableFacts& facts);

}  // namespace stepbench::report
