// SPDX-License-Identifier: Apache-2.0
// A night's verdict for people. A quiet night is its verdict and two lines. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/campaign/check_night.h"
#include "harness/document/document.h"
#include "harness/report/history_view.h"

namespace stepbench::report {

struct NightView {
  track::ScreenKind screen = track::ScreenKind::kRobustZ;
  // What follows each command line that is proposed: "" or " --db URL".
  std::string history_words = {};
  std::size_t rows = 40;  // of the series that moved; 0: every series, and why it has its state
};

// The series that moved, as `moved_series`; with `rows` 0 then all others.
[[nodiscard]] document::Table night_table(const campaign::CheckedNight& checked,
                                          const NightView& view);

// The only chapter is "overview". A bot finds its own comment again by the document's marker.
[[nodiscard]] document::Document night_document(const campaign::CheckedNight& checked,
                                                const NightView& view);

// The most serious of what moved first, then the largest change.
[[nodiscard]] std::vector<const track::NightSeries*> moved_series(const track::Night& night);

inline constexpr std::size_t kNightCharts = 20;
// The nights of the first of them, for charts; they point into `checked`.
[[nodiscard]] std::vector<HistoryView> moved_over_nights(const campaign::CheckedNight& checked,
                                                         const NightView& view);

}  // namespace stepbench::report
