// SPDX-License-Identifier: Apache-2.0
// The tables of a history: its series, the nights of some, its alerts. On a page of a site their
// names lead to the pages of series and alerts. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/report/history_view.h"
#include "harness/report/series_names.h"

namespace stepbench::report {

// Where the pages of a site lie, all in one folder; nothing leads anywhere elsewhere.
enum class Links : bool { kNone, kPages };
[[nodiscard]] std::string series_file(std::string_view series_id);
[[nodiscard]] std::string alert_file(std::string_view alert_id);

// A series with its newest night, as a row.
struct SeriesRow {
  const track::TrackedSeries* series = nullptr;
  track::TrackedPoint newest = {};
  std::size_t nights = 0;
  std::string first_date = {};
  std::string last_date = {};
  // Where it was looked at.
  std::string state = {};  // of its newest night, or of its alert
  std::string alert = {};  // that is open
  std::optional<double> usual = {};
  std::optional<double> change = {};
  document::Tone tone = document::Tone::kPlain;
};
// `view` holds its newest night.
[[nodiscard]] SeriesRow row_of(const HistoryView& view);
[[nodiscard]] document::Table series_table(std::span<const SeriesRow> rows,
                                           const SeriesNames& names, Links links = Links::kNone);

// Of one series, or of several with their names; `most`: so many of each, the newest.
[[nodiscard]] document::Table nights_table(std::span<const HistoryView> views,
                                           const SeriesNames& names, std::size_t most);

// `today`: 2026-01-31, from which ages are counted; empty: without them.
[[nodiscard]] document::Table alerts_table(std::span<const nights::Alert* const> alerts,
                                           const SeriesNames& names, const std::string& today,
                                           Links links = Links::kNone);

// Newest first: all of them, or those that wait for somebody.
[[nodiscard]] std::vector<const nights::Alert*> newest_first(const nights::AlertLog& log);

}  // namespace stepbench::report
