// SPDX-License-Identifier: Apache-2.0
// Tables of a history: its series, nights, alerts. On pages of a site, names link to the pages of
// series and alerts. Pure; any thread.
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

}  // namespace stepbench::report
