// SPDX-License-Identifier: Apache-2.0
// Histories as documents: a series over its nights, an alert with its history, the open alerts, the
// list of all series; and their tables, whose names link to the pages of series and alerts on a
// site. Pure; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/report/history_view.h"
#include "harness/report/series_names.h"

namespace stepbench::report {

// kPages: link to the pages of a site, which are all in one folder.
enum class Links : bool { kNone, kPages };
[[nodiscard]] std::string series_file(std::string_view series_id);
[[nodiscard]] std::string alert_file(std::string_view alert_id);

// Table row of a series with its newest night.
struct SeriesRow {
  const track::TrackedSeries* series = nullptr;
  track::TrackedPoint newest = {};
  std::size_t nights = 0;
  std::string first_date = {};
  std::string last_date = {};
  // If it was judged:
  std::string state = {};  // state of its newest night, or of its alert
  std::string alert = {};  // its open alert
  bool had_alerts = false;
  std::optional<double> usual = {};
  std::optional<double> change = {};
  document::Tone tone = document::Tone::kPlain;
};
// `view` must contain its newest night.
[[nodiscard]] SeriesRow row_of(const HistoryView& view);
[[nodiscard]] document::Table series_table(std::span<const SeriesRow> rows,
                                           const SeriesNames& names, Links links = Links::kNone);

// Nights of one series, or of several with their names. `most`: number of newest nights per series.
[[nodiscard]] document::Table nights_table(std::span<const HistoryView> views,
                                           const SeriesNames& names, std::size_t most);

// `today`: 2026-01-31; ages are relative to it; empty: no ages.
[[nodiscard]] document::Table alerts_table(std::span<const nights::Alert* const> alerts,
                                           const SeriesNames& names, const std::string& today,
                                           Links links = Links::kNone);

[[nodiscard]] std::vector<const nights::Alert*> newest_first(const nights::AlertLog& log);

inline constexpr std::size_t kShownNights = 12;  // in a terminal's table; its chart has more

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
