// SPDX-License-Identifier: Apache-2.0
// One series over the nights, as `track show` reports it: each night with its judgement, alerts,
// notes and the load of the machine; and short texts about a night and an alert. Pure; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/document/document.h"
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

// Short texts about a night of a series and about an alert.

[[nodiscard]] std::string night_date(const track::TrackedRun& run);  // "2026-01-31"
// "0123abcd", the build's id if the commit is unknown; "0123abcd+" with uncommitted changes; or
// "-".
[[nodiscard]] std::string program_id(const track::TrackedRun& run);
// "commit 4d134bc0, build 4ac4e706"
[[nodiscard]] std::string program_text(const track::TrackedRun& run);
// ", torch 2.12.0": versions in which the run differs from the other; else empty.
[[nodiscard]] std::string differing_versions(const track::TrackedRun& run,
                                             const track::TrackedRun& other);

// "between 2026-01-30 (commit ...) and 2026-01-31 (...)": the first bad run and the last good one;
// empty if unknown.
[[nodiscard]] std::string range_text(const nights::Alert& alert, const track::History& history);
// The same, with the commits in between.
[[nodiscard]] std::vector<document::Line> range_lines(const nights::Alert& alert,
                                                      const track::History& history);

// The reported change of a series, relative to the usual level, as measured.
struct ReportedChange {
  double change = 0;
  double low = 0;
  double high = 0;
};
// With `as_share` all values are shares of the step. `series`: the series; nullptr if the history
// no longer has it.
[[nodiscard]] ReportedChange reported_change(const nights::AlertSeries& reported,
                                             const track::TrackedSeries* series);
// "+6.28 % [+5.80, +6.71]", followed by "of the step" for shares.
[[nodiscard]] std::string reported_text(const nights::AlertSeries& reported,
                                        const track::TrackedSeries* series);

// "as far as +5.00 %, until 2026-02-01"; empty: without limits.
[[nodiscard]] std::string acceptance_words(const nights::Alert& alert);
// "A1: accepted, until 2026-03-01; expected"
[[nodiscard]] std::string alert_words(const nights::Alert& alert);
// The series that moved most; nullptr if the alert has none.
[[nodiscard]] const nights::AlertSeries* largest_of(const nights::Alert& alert);

// Alert of this series by id; nullptr if there is none.
[[nodiscard]] const nights::Alert* alert_named(const HistoryView& view, const std::string& id);
// Events of that night: an alert, a report, a suspicion, notes, a busy machine.
[[nodiscard]] std::vector<std::string> marks_of(const HistoryNight& night);
// For an open alert whose experiment had no night on its machine for two weeks, e.g. after its
// branch was deleted: says that it is no longer measured and how to close it. Otherwise empty.
[[nodiscard]] std::string stale_alert_words(const nights::Alert& alert,
                                            std::span<const track::TrackedRun> runs,
                                            const std::string& today,
                                            const std::string& history_words);

}  // namespace stepbench::report
