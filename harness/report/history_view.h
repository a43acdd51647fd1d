// SPDX-License-Identifier: Apache-2.0
// One series over the nights, as `track show` tells it: each night with what was usual then, where
// a new level or segment began, where the level changed, and its alerts. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/track/alert.h"
#include "harness/track/change_points.h"
#include "harness/track/history.h"
#include "harness/track/screen.h"

namespace stepbench {

struct HistoryNight {
  const TrackedRun* run = nullptr;
  const TrackedPoint* point = nullptr;    // null: a night without a value
  std::optional<double> normalised = {};  // value per control, at the control's usual
  std::optional<double> usual = {};       // of the level before; nothing: warming up
  std::optional<double> change = {};
  std::optional<double> score = {};
  bool fired = false;
  bool begins_segment = false;           // another environment, or a new baseline
  const ChangePoint* changed = nullptr;  // the level changed here
  std::string alert = {};                // the one that says it came with this night
};

struct HistoryView {
  const SeriesHistory* series = nullptr;
  std::vector<HistoryNight> nights = {};  // of the experiment and host, the oldest first
  std::vector<ChangePoint> changes = {};  // E-divisive, by index of the finite points
  std::vector<const Alert*> alerts = {};  // of this series
};

// Points into `history` and `log`, which outlive it. `last`: so many nights, the newest.
[[nodiscard]] HistoryView view_of(const SeriesHistory& series, const History& history,
                                  const AlertLog& log, std::span<const TrackEvent> events,
                                  const ScreenOptions& screen, std::size_t last);

}  // namespace stepbench
