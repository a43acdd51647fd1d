// SPDX-License-Identifier: Apache-2.0
// Documents of a history: a series over its nights, an alert with its events, the open alerts, the
// list of all series. Pure; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "harness/document/document.h"
#include "harness/report/history_tables.h"

namespace stepbench::report {

inline constexpr std::size_t kShownNights = 12;  // in a terminal's table; its chart has more

// The newest value, the usual level, and the open or accepted alert. Empty without nights.
[[nodiscard]] document::Answer series_answer(const HistoryView& view);
// `history`: that of the view. `nights`: number of nights in the table.
[[nodiscard]] document::Document series_document(const HistoryView& view,
                                                 const track::History& history,
                                                 const SeriesNames& names,
                                                 std::size_t nights = kShownNights,
                                                 Links links = Links::kNone);

// `charts`: of its series over the nights. `history_words`: appended to each proposed command line.
[[nodiscard]] document::Document alert_document(const nights::Alert& alert,
                                                const track::History& history,
                                                const SeriesNames& names,
                                                std::span<const document::Figure> charts,
                                                const std::string& history_words,
                                                Links links = Links::kNone);

// Includes accepted alerts. `today`: 2026-01-31; ages are relative to it.
[[nodiscard]] document::Document open_alerts_document(const nights::AlertLog& log,
                                                      const SeriesNames& names,
                                                      const std::string& today);
// "2 alerts are open: A3, regression, +8.00 % in train num_workers=2, step"; without open alerts,
// the changes in the last night of the rows.
[[nodiscard]] document::Answer open_alerts_answer(const nights::AlertLog& log,
                                                  const SeriesNames& names,
                                                  std::span<const SeriesRow> rows);

// `newest`: all runs, and the newest point of each series. `whole`: include series that are kept
// only to explain others (phases). No chapters if there are no series.
[[nodiscard]] document::Document series_list_document(
    const track::History& newest, const std::map<std::string, track::SeriesExtent>& extents,
    bool whole);

}  // namespace stepbench::report
