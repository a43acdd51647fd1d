// SPDX-License-Identifier: Apache-2.0
// Histories as documents: a series over its nights, an alert with all that happened to it, the open
// alerts, the list of all series. Pure; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "harness/document/document.h"
#include "harness/report/history_tables.h"

namespace stepbench::report {

inline constexpr std::size_t kShownNights = 12;  // in the table of a terminal; its chart has more

// The newest value, what was usual, and the alert that is open or accepted. Without a night: none.
[[nodiscard]] document::Answer series_answer(const HistoryView& view);
// `history`: of the view. `nights`: so many in the table.
[[nodiscard]] document::Document series_document(const HistoryView& view,
                                                 const track::History& history,
                                                 const SeriesNames& names,
                                                 std::size_t nights = kShownNights,
                                                 Links links = Links::kNone);

// `charts`: of its series over the nights; `history_words`: what follows each command line that is
// proposed.
[[nodiscard]] document::Document alert_document(const nights::Alert& alert,
                                                const track::History& history,
                                                const SeriesNames& names,
                                                std::span<const document::Figure> charts,
                                                const std::string& history_words,
                                                Links links = Links::kNone);

// Also the accepted ones. `today`: 2026-01-31, from which ages are counted.
[[nodiscard]] document::Document open_alerts_document(const nights::AlertLog& log,
                                                      const SeriesNames& names,
                                                      const std::string& today);
// "2 alerts are open: A3, regression, +8.00 % in train num_workers=2, step"; without any what moved
// in the last night of the rows.
[[nodiscard]] document::Answer open_alerts_answer(const nights::AlertLog& log,
                                                  const SeriesNames& names,
                                                  std::span<const SeriesRow> rows);

// `newest`: of each series its newest point, and all runs. `whole`: also series that are kept to
// explain others (phases). Without chapters where there is no series.
[[nodiscard]] document::Document series_list_document(
    const track::History& newest, const std::map<std::string, track::SeriesExtent>& extents,
    bool whole);

}  // namespace stepbench::report
