// SPDX-License-Identifier: Apache-2.0
// What `track show` prints: a series as a chart and a table, an alert with all that happened to it,
// the open alerts. Pure; any thread.
#pragma once

#include <string>

#include "harness/json/json_text.h"
#include "harness/report/history_view.h"
#include "harness/report/series_names.h"
#include "harness/report/table.h"

namespace stepbench::report {

inline constexpr std::size_t kShownNights = 12;  // in the table; the chart has more

[[nodiscard]] std::string series_page(const HistoryView& view, const SeriesNames& names,
                                      const TableStyle& style);

// `history_words`: what follows each command line that is proposed.
[[nodiscard]] std::string alert_page(const track::Alert& alert, const track::History& history,
                                     const SeriesNames& names, const std::string& history_words,
                                     const TableStyle& style);

// `today`: 2026-01-31, from which ages are counted.
[[nodiscard]] std::string open_alerts_page(const track::AlertLog& log, const SeriesNames& names,
                                           const std::string& today, const TableStyle& style);

// "stepbench.history" 1.0.0; results/NIGHT.md has the fields.
[[nodiscard]] std::string series_json(const HistoryView& view, const SeriesNames& names);

// Its "nights".
void write_nights(json::JsonText& json, const HistoryView& view);

}  // namespace stepbench::report
