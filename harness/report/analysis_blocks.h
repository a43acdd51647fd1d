// SPDX-License-Identifier: Apache-2.0
// The blocks of an analysis as rows of one table: text, Markdown, HTML and JSON go through it. A
// new block is a row in analysis_blocks.cpp, its members in analysis_rows.h. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analyze/ranks.h"
#include "harness/document/document.h"
#include "harness/json/json_text.h"
#include "harness/report/analysis_report.h"

namespace stepbench::report {

struct TraceBlock {
  std::string_view key;  // in JSON
  // What a page calls it where it says why it is not known; empty: it does not.
  std::string_view words;
  // A member of an open object; null with its reason.
  void (*write)(json::JsonText& json, const TraceBlock& block, const AnalysedTrace& analysed);
  bool (*known)(const analyze::Analysis& analysis);
  // Why it is not; empty where it is.
  std::string (*reason)(const analyze::Analysis& analysis);
  // What is shown of it, `limit` rows, 0: all. Null: nothing.
  std::vector<document::Block> (*show)(const AnalysedTrace& analysed, std::size_t limit);
};
// In the order of the tables.
[[nodiscard]] std::span<const TraceBlock> trace_blocks();

// All that is known beside the step's time.
[[nodiscard]] std::vector<document::Block> analysis_tables(const AnalysedTrace& analysed,
                                                           std::size_t row_limit);

// What was exchanged with other ranks, of all of them together.
[[nodiscard]] std::vector<document::Block> matched_collective_blocks(
    const std::vector<analyze::MatchedCollectives>& sizes, std::size_t row_limit);

// Below a table that shows not all rows.
void note_cut(std::size_t rows, std::size_t limit, std::vector<document::Block>& blocks);
[[nodiscard]] std::size_t limited(std::size_t rows, std::size_t limit);

}  // namespace stepbench::report
