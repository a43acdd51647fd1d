// SPDX-License-Identifier: Apache-2.0
// Chapters with charts of a run's page: figures with their words, and their tables. They add chart
// data beyond `show --format json` to `charts`, an open object. nullopt if there is nothing to
// draw. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/json/json_text.h"
#include "harness/report/internal/html/chart_json.h"
#include "harness/report/result_tables.h"

namespace stepbench::report {

// Row indexes, best first: as ranked, else by time; rows without a number last.
[[nodiscard]] std::vector<std::size_t> best_rows(const TableFacts& facts, std::size_t most);
// Shortest prefix of the id that identifies the case.
[[nodiscard]] std::string short_id(const TableFacts& facts, const estimate::CaseRow& row);
// What all charts of a run share: labels, units, the numbers that they draw.
void add_cases(json::JsonText& charts, const TableFacts& facts, const DrawOptions& options);

// The cases by the options that vary.
[[nodiscard]] std::optional<document::Chapter> sweep_section(const TableFacts& facts);
// The phases of each case's step, which sum to it.
[[nodiscard]] std::optional<document::Chapter> anatomy_section(const TableFacts& facts);
// Steps of each launch: distribution and course over time.
[[nodiscard]] std::optional<document::Chapter> distributions_section(const TableFacts& facts,
                                                                     const DrawOptions& options);
// Launches in the order in which they ran: drift, load, failures. nullopt for fewer than two.
[[nodiscard]] std::optional<document::Chapter> launches_section(const TableFacts& facts,
                                                                json::JsonText& charts);
// For process groups: a step on each rank, and which rank waits for which.
[[nodiscard]] std::optional<document::Chapter> ranks_section(const TableFacts& facts);
// For profiled launches: flame view, areas by module and operator, memory over time, table of
// operations; the first cases only.
[[nodiscard]] std::optional<document::Chapter> ops_section(const record::Results& results,
                                                           json::JsonText& charts);

}  // namespace stepbench::report
