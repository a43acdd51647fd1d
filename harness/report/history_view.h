// SPDX-License-Identifier: Apache-2.0
// One series over the nights, as `track show` tells it: each night with what was usual then, where
// a new level or segment began, where the level changed, its alerts, and whether the machine was
// busy. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/estimate/busy_machine.h"
#include "harness/track/alert.h"
#include "harness/track/change_points.h"
#include "harness/track/history.h"
#include "harness/track/screen.h"

namespace stepbench::report {

struct HistoryNight {
  const track::TrackedRun* run = nullptr;
  const track::TrackedPoint* point = nullptr;  // null: a night without a value
  std::optional<double> normalised = {};       // value per control, at the control's usual
  std::optional<double> usual = {};            // of the level before; nothing: warming up
  std::optional<double> change = {};
  std::optional<double> score = {};
  bool fired = false;
  bool begins_segment = false;                  // another environment, or a new baseline
  const track::ChangePoint* changed = nullptr;  // the level changed here
  std::string alert = {};                       // the one that says it came with this night
  std::string note = {};                        // what people wrote down of it
  std::optional<estimate::BusyMachine> busy = {};
};
[[nodiscard]] bool has_value(const HistoryNight& night);

struct HistoryView {
  const track::SeriesHistory* series = nullptr;
  std::vector<HistoryNight> nights = {};         // of the experiment and host, the oldest first
  std::vector<track::ChangePoint> changes = {};  // E-divisive, by index of the finite points
  std::vector<const track::Alert*> alerts = {};  // of this series
};

// Points into `history` and `log`, which outlive it. `last`: so many nights, the newest.
[[nodiscard]] HistoryView view_of(const track::SeriesHistory& series, const track::History& history,
                                  const track::AlertLog& log,
                                  std::span<const track::TrackEvent> events,
                                  const track::ScreenOptions& screen, std::size_t last);

// Of its nights: `changes`, and in each night `changed`.
void find_level_changes(HistoryView& view);

}  // namespace stepbench::report
