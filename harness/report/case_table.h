// SPDX-License-Identifier: Apache-2.0
// The table of cases as cells: which columns it has, in which order, and what stands in them. Pure;
// any thread.
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

// What all cells of one table share.
struct TableFacts {
  const record::Results& results;
  std::vector<estimate::CaseRow> rows;
  // Rows of profiling passes beside a timed row of their case.
  std::vector<estimate::CaseRow> profiled;
  std::vector<estimate::CaseRow> skipped;  // by a rule, beside others: a note tells them
  estimate::RowNames names;
  bool baseline = false;  // rows are held against one, not against the best row
  std::optional<estimate::Judged> by = {};
  std::optional<estimate::Ranking> ranking = {};
  text::TimeUnit unit = {};
  std::string spread_head = {};  // of most rows; "" when no row has a spread
  std::set<estimate::StepClock> clocks = {};
  std::set<bool> latencies = {};  // which rows are about a latency: all, none, or both kinds
};

[[nodiscard]] TableFacts table_facts(const record::Results& results, const TableStyle& style);
// The rows with those that were skipped: what notes are about.
[[nodiscard]] std::vector<estimate::CaseRow> with_skipped(const TableFacts& facts);
// Says what the column of times holds: "step [ms]", "step, device [ms]", "latency p50 [us]".
[[nodiscard]] std::string headline_head(const TableFacts& facts);
// What stands in place of a row's numbers: "failed: …", "skipped: …", "unfinished".
[[nodiscard]] std::string no_numbers(const estimate::CaseRow& row);
// `select`: columns by any of their names; empty: those that a reader is likely to want.
[[nodiscard]] document::Table case_grid(const TableFacts& facts,
                                        const std::vector<std::string>& select);
// Of `show --noise`: which case it is, its step, and what its launches and steps differ by.
[[nodiscard]] document::Table noise_grid(const TableFacts& facts);
// By what the table is judged: of rows that cannot be ranked, their step.
[[nodiscard]] estimate::Judged judged(const TableFacts& facts);

}  // namespace stepbench::report
