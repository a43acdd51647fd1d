// SPDX-License-Identifier: Apache-2.0
// A night's verdict for people. A quiet night is its verdict and three lines. Pure; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/nights/night_store.h"
#include "harness/report/history_view.h"

namespace stepbench::report {

// A night with what is drawn of it.
struct ShownNight {
  nights::Night night = {};
  track::History history = {};  // the newest point of each series, and the runs that are named
  track::History moved = {};    // the nights of series that moved
  std::map<std::string, std::vector<track::JudgedRow>, std::less<>> judged = {};  // of these
};

struct NightView {
  // What follows each command line that is proposed: "" or " --db URL".
  std::string history_words = {};
  std::size_t rows = 40;  // of the series that moved; 0: every series, and why it has its state
};

// The series that moved, as `moved_series`; with `rows` 0 then all others.
[[nodiscard]] document::Table night_table(const ShownNight& shown, const NightView& view);

// The only chapter is "overview". A bot finds its own comment again by the document's marker.
[[nodiscard]] document::Document night_document(const ShownNight& shown, const NightView& view);

// The most serious of what moved first, then the largest change.
[[nodiscard]] std::vector<const nights::NightSeries*> moved_series(const nights::Night& night);

inline constexpr std::size_t kNightCharts = 20;
inline constexpr std::size_t kChartedNights = 120;
// The nights of the first of them, for charts; they point into `shown`.
[[nodiscard]] std::vector<HistoryView> moved_over_nights(const ShownNight& shown);

}  // namespace stepbench::report
