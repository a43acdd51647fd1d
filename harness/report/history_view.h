// SPDX-License-Identifier: Apache-2.0
// One series over the nights, as `track show` tells it: each night with what it was judged, its
// alerts, what people wrote down, and whether the machine was busy. Pure; any thread.
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
  std::optional<track::JudgedRow> judged = {};  // nothing: values alone
  std::string alert = {};                       // the one that says it came with this night
  std::string note = {};                        // what people wrote down of it
  std::optional<estimate::BusyMachine> busy = {};

  // What the level would take that night; nothing: it was not held against one.
  [[nodiscard]] std::optional<double> usual() const;
  [[nodiscard]] std::optional<double> change() const;  // against it, a share
  [[nodiscard]] bool is_suspect() const;
};
[[nodiscard]] bool has_value(const HistoryNight& night);

struct HistoryView {
  const track::SeriesHistory* series = nullptr;
  std::vector<HistoryNight> nights = {};          // of the experiment and host, the oldest first
  std::vector<const nights::Alert*> alerts = {};  // of this series
};

// How the nights of a series were judged, on the host of its newest one; oldest first.
using JudgedNights = std::function<std::vector<track::JudgedRow>(const track::SeriesHistory&,
                                                                 const track::History&)>;

// Points into `history` and `log`, which outlive it. `judged`: as JudgedNights; `last`: so many
// nights, the newest.
[[nodiscard]] HistoryView view_of(const track::SeriesHistory& series, const track::History& history,
                                  const nights::AlertLog& log,
                                  std::span<const track::TrackEvent> events,
                                  std::span<const track::JudgedRow> judged, std::size_t last);

}  // namespace stepbench::report
