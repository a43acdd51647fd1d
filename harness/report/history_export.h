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

// One line per point, by time.
[[nodiscard]] std::string history_csv(const track::History& history);
// One object: runs, series with their points, cohorts. Fields: results/SCHEMA.md.
[[nodiscard]] std::string history_json(const track::History& history);

// One series with the facts about its nights. Fields: results/NIGHT.md.
[[nodiscard]] std::string series_json(const HistoryView& view, const SeriesNames& names);
// Writes the array "nights".
void write_nights(json::JsonText& json, const HistoryView& view);

}  // namespace stepbench::report
