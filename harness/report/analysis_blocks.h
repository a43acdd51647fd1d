// SPDX-License-Identifier: Apache-2.0
// The table of analysis blocks, used for text, Markdown, HTML and JSON. To add a block: a row in
// analysis_blocks.cpp and its members in analysis_rows.h. Pure; any thread.
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
  // Its name where a page says why it is unknown; empty: never mentioned.
  std::string_view words;
  // Writes it as a member of an open object; if unknown as null with the reason.
  void (*write)(json::JsonText& json, const TraceBlock& block, const AnalysedTrace& analysed);
  bool (*known)(const analyze::Analysis& analysis);
  // Why it is unknown; empty if known.
  std::string (*reason)(const analyze::Analysis& analysis);
  // Blocks shown for it, with `limit` rows (0: all). Null: none.
  std::vector<document::Block> (*show)(const AnalysedTrace& analysed, std::size_t limit);
};
// In table order.
[[nodiscard]] std::span<const TraceBlock> trace_blocks();

// Tables of everything known except the step's time.
[[nodiscard]] std::vector<document::Block> analysis_tables(const AnalysedTrace& analysed,
                                                           std::size_t row_limit);

// Data exchanged with other ranks, over all ranks.
[[nodiscard]] std::vector<document::Block> matched_collective_blocks(
    const std::vector<analyze::MatchedCollectives>& sizes, std::size_t row_limit);

// Adds a note below a table that does not show all rows.
void note_cut(std::size_t rows, std::size_t limit, std::vector<document::Block>& blocks);
[[nodiscard]] std::size_t limited(std::size_t rows, std::size_t limit);

}  // namespace stepbench::report
