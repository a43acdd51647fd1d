// SPDX-License-Identifier: Apache-2.0
// The chapters of a run's page that draw: figures with their words, and the tables behind them.
// What their charts need beyond `show --format json` they add to `charts`, an open object. nullopt
// where there is nothing to draw. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/document/document.h"
#include "harness/json/json_text.h"
#include "harness/report/case_table.h"
#include "harness/report/html/draw_options.h"

namespace stepbench::report {

// Of more cases the best ones are drawn, and the figures say so.
inline constexpr std::size_t kMaxDrawnCases = 2000;  // of a sweep
inline constexpr std::size_t kMaxAnatomyCases = 40;
inline constexpr std::size_t kMaxDistributions = 12;  // and as many with a warning

// One varying option as a line or dots with intervals, two as a heat map and lines, three as small
// multiples, more as parallel coordinates and the best cases.
[[nodiscard]] std::optional<document::Chapter> sweep_section(const TableFacts& facts,
                                                             json::JsonText& charts);
// The phases of a step of each case, which sum to it.
[[nodiscard]] std::optional<document::Chapter> anatomy_section(const TableFacts& facts);
// The steps of each launch: how many take how long, and how they follow each other.
[[nodiscard]] std::optional<document::Chapter> distributions_section(const TableFacts& facts,
                                                                     const DrawOptions& options);
// The launches in the order in which they ran: does the machine drift, was it busy, where did
// launches fail? Of fewer than two nothing.
[[nodiscard]] std::optional<document::Chapter> launches_section(const TableFacts& facts,
                                                                const DrawOptions& options,
                                                                json::JsonText& charts);
// Of groups: a step on each rank, who waits for whom.
[[nodiscard]] std::optional<document::Chapter> ranks_section(const TableFacts& facts);
// Of profiled launches: a flame view, areas by module and op, memory over time, the table of ops.
[[nodiscard]] std::optional<document::Chapter> ops_section(const record::Results& results,
                                                           json::JsonText& charts);

}  // namespace stepbench::report
