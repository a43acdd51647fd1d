// SPDX-License-Identifier: Apache-2.0
// A night's verdict for people; four lines for a quiet night. Pure; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/nights/night_store.h"
#include "harness/report/history_view.h"

namespace stepbench::report {

// A night with the data for its charts.
struct ShownNight {
  nights::Night night = {};
  track::History history = {};  // newest point of each series, and all runs that are mentioned
  track::History moved = {};    // nights of the series that moved
  std::map<std::string, std::vector<track::JudgedRow>, std::less<>> judged = {};  // of `moved`
};

struct NightView {
  // Appended to each proposed command line: "" or " --db URL".
  std::string history_words = {};
  std::size_t rows = 40;  // of moved series; 0: every series with the reason for its state
};

// The series that moved, as in moved_series(); if `rows` is 0 followed by all others.
[[nodiscard]] document::Table night_table(const ShownNight& shown, const NightView& view);

// Its only chapter is "overview". Bots find their own comment by the document's marker.
[[nodiscard]] document::Document night_document(const ShownNight& shown, const NightView& view);

// Series that moved: most serious state first, then largest change.
[[nodiscard]] std::vector<const nights::NightSeries*> moved_series(const nights::Night& night);

inline constexpr std::size_t kNightCharts = 20;
inline constexpr std::size_t kChartedNights = 120;
// Nights of the first of these series, for charts; they point into `shown`.
[[nodiscard]] std::vector<HistoryView> moved_over_nights(const ShownNight& shown);

}  // namespace stepbench::report
