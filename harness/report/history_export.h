// SPDX-License-Identifier: Apache-2.0
// A history for programs: every point with its night, in base units. Pure; any thread.
#pragma once

#include <string>

#include "harness/json/json_text.h"
#include "harness/report/history_view.h"
#include "harness/report/series_names.h"
#include "harness/track/history.h"

namespace stepbench::report {

inline constexpr const char* kHistorySchema = "stepbench.history";
inline constexpr const char* kHistoryVersion = "2.0.0";

// In pieces, so that a long history need not be in memory: what stands before the series, each of
// them, what stands between and behind. `history`: with the runs that its points count from.
struct HistoryForm {
  std::string (*begin)(const track::History& history);
  std::string (*series)(const track::SeriesHistory& one, const track::History& history);
  const char* between;
  std::string (*end)(const track::History& history);
};
// One line for each point, by time.
extern const HistoryForm kHistoryCsv;
// One object: runs, series with their points, cohorts. results/SCHEMA.md has the fields.
extern const HistoryForm kHistoryJson;

[[nodiscard]] std::string history_text(const HistoryForm& form, const track::History& history);

// One series with what is known of its nights; results/NIGHT.md has the fields.
[[nodiscard]] std::string series_json(const HistoryView& view, const SeriesNames& names);
// Its "nights".
void write_nights(json::JsonText& json, const HistoryView& view);

}  // namespace stepbench::report
