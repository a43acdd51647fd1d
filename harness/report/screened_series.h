// SPDX-License-Identifier: Apache-2.0
// What the methods of the nights say of any series, all of it at once: where its level changed, and
// in which nights the screen would have asked for a measurement. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/series_names.h"
#include "harness/report/table.h"
#include "harness/track/change_points.h"
#include "harness/track/history.h"
#include "harness/track/screen.h"

namespace stepbench::report {

struct ScreenChoice {
  std::string method = "divisive";  // or "otava"
  track::DivisiveOptions divisive = {};
  track::OtavaOptions otava = {};
  track::ScreenKind screen = track::ScreenKind::kRobustZ;
};

struct ScreenedSeries {
  const track::SeriesHistory* series = nullptr;
  std::vector<track::ChangePoint> changes = {};  // by index into the points
  // Indexes of the points at which the screen fires, which sees the points before alone; its level
  // begins anew at each change of the level before.
  std::vector<std::size_t> fired = {};
};

// `series` outlives it.
[[nodiscard]] ScreenedSeries screened_series(const track::SeriesHistory& series,
                                             const ScreenChoice& choice);

[[nodiscard]] std::string screened_page(const ScreenedSeries& screened,
                                        const track::History& history, const SeriesNames& names,
                                        const ScreenChoice& choice, const TableStyle& style);
// "stepbench.screen" 1.0.0: one object for all of them.
[[nodiscard]] std::string screened_json(const std::vector<ScreenedSeries>& all,
                                        const track::History& history, const SeriesNames& names,
                                        const ScreenChoice& choice);

}  // namespace stepbench::report
