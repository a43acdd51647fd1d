// SPDX-License-Identifier: Apache-2.0
// What the methods of the nights say of any series, all of it at once: where its level changed, and
// in which nights the screen would have asked for a measurement. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/track/change_points.h"
#include "harness/track/history.h"
#include "harness/track/screen.h"

namespace stepbench::track {

struct ScreenChoice {
  std::string method = "divisive";  // or "otava"
  DivisiveOptions divisive = {};
  OtavaOptions otava = {};
  ScreenKind screen = ScreenKind::kRobustZ;
};

struct ScreenedSeries {
  const SeriesHistory* series = nullptr;
  std::vector<ChangePoint> changes = {};  // by index into the points
  // Indexes of the points at which the screen fires, which sees the points before alone; its level
  // begins anew at each change of the level before.
  std::vector<std::size_t> fired = {};
};

// `series` outlives it.
[[nodiscard]] ScreenedSeries screened_series(const SeriesHistory& series,
                                             const ScreenChoice& choice);

}  // namespace stepbench::track
