// SPDX-License-Identifier: Apache-2.0
// One series over the nights, as shown by `track show`: each night with its judgement, alerts,
// notes, and the load of the machine. Pure; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/estimate/busy_machine.h"
#include "harness/nights/alert.h"
#include "harness/nights/night_store.h"
#include "harness/track/history.h"

namespace stepbench::report {

struct HistoryNight {
  const track::TrackedRun* run = nullptr;
  const track::TrackedPoint* point = nullptr;   // null: a night without a value
  std::optional<track::JudgedRow> judged = {};  // nullopt: only values
  std::string alert = {};                       // alert that attributes the change to this night
  std::string note = {};                        // notes by users
  std::optional<estimate::BusyMachine> busy = {};

  // Value expected by the level in that night; nullopt if it was not compared with one.
  [[nodiscard]] std::optional<double> usual() const;
  [[nodiscard]] std::optional<double> change() const;  // relative to it
  [[nodiscard]] bool is_suspect() const;
};
[[nodiscard]] bool has_value(const HistoryNight& night);

struct HistoryView {
  const track::SeriesHistory* series = nullptr;
  std::vector<HistoryNight> nights = {};          // of the experiment and host, oldest first
  std::vector<const nights::Alert*> alerts = {};  // alerts of this series
};

// Judgements of a series' nights, on the host of its newest night; oldest first.
using JudgedNights = std::function<std::vector<track::JudgedRow>(const track::SeriesHistory&,
                                                                 const track::History&)>;

// Points into `history` and `log`, which must outlive it. `judged`: as from JudgedNights. `last`:
// number of newest nights.
[[nodiscard]] HistoryView view_of(const track::SeriesHistory& series, const track::History& history,
                                  const nights::AlertLog& log,
                                  std::span<const track::TrackEvent> events,
                                  std::span<const track::JudgedRow> judged, std::size_t last);

}  // namespace stepbench::report
