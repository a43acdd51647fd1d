// SPDX-License-Identifier: Apache-2.0
// A history for programs: every point with its night, in base units, and an alert as one line of
// JSON. Pure; any thread.
#pragma once

#include <string>

#include "harness/json/json_text.h"
#include "harness/nights/alert.h"
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

// "stepbench.alert": the input of the command of `nightly --on-alert`. Fields:
// tools/examples/nightly/README.md.

inline constexpr const char* kAlertSchema = "stepbench.alert";
inline constexpr const char* kAlertVersion = "2.0.0";

// One sentence for a chat or a mail subject. `history` has the alert's series and runs; missing
// ones are named by id.
[[nodiscard]] std::string alert_sentence(const nights::Alert& alert, const track::History& history);

// `history_words`: options that name the history, for the command that shows the alert.
[[nodiscard]] std::string alert_json(const nights::Alert& alert, const track::History& history,
                                     const std::string& history_words);

}  // namespace stepbench::report
