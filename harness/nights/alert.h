// SPDX-License-Identifier: Apache-2.0
// The alerts of a history, as their events made them. An alert is of an experiment on a machine:
// all of its series that changed between the same builds. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/nights/state.h"
#include "harness/track/event.h"
#include "harness/track/history.h"

namespace stepbench::nights {

enum class AlertState : std::uint8_t {  // written to disk by name
  kOpen,
  kAccepted,  // by a person
  kFixed,     // measured, and gone
  kClosed     // by a baseline, or by a state of older versions that is no more; `note` says which
};
constexpr EnumNames<4> names_of(AlertState) { return {"open", "accepted", "fixed", "closed"}; }

// TrackEvent::what, of an alert.
enum class AlertEvent : std::uint8_t {
  kTold,         // a series of it: opens the alert, or joins it
  kGrew,         // a series of it was told again, worse
  kBack,         // a series of it is back
  kFixed,        // all of them are
  kAccepted,     // by a person; details: until, expect
  kReopened,     // the date of an acceptance has passed, or a person takes it back
  kClosed,       // by a baseline
  kUnreachable,  // a series of it: another reference began, the level before cannot be measured
  kNoted,
  kAssigned  // details: to
};
constexpr EnumNames<10> names_of(AlertEvent) {
  return {"told",     "grew",   "back",        "fixed", "accepted",
          "reopened", "closed", "unreachable", "noted", "assigned"};
}

struct AlertSeries {
  std::string id = {};
  std::string experiment = {};
  Change change = {};     // as it was told; `size` with all that it grew by
  bool as_share = false;  // sizes are shares of the step; else log ratios
  double usual = 0;       // in the series' unit, when it was told
  double value = 0;
  std::string told_run = {};
  std::string cause = {};  // see SeriesPairs; empty: nothing explains it
  bool back = false;
  bool can_be_measured = true;  // see OpenChange
};

// A commit of an alert's range, as git tells it.
struct RangeCommit {
  std::string sha = {};
  std::string author = {};
  std::string title = {};
  std::string url = {};  // empty: nobody said where commits are shown
};

struct Alert {
  std::string id = {};  // "A17"
  AlertState state = AlertState::kOpen;
  std::string host = {};
  std::string experiment = {};  // with its branch: "nightly@dev"
  std::string opened_run = {};  // run id of the night that told it
  std::string opened_utc = {};
  std::string news_utc = {};     // of the night that told it last, or reopened it
  std::string changed_utc = {};  // of the night, or the day, that brought it to its state
  std::string first_bad = {};    // run ids between which it came
  std::string last_good = {};
  std::vector<AlertSeries> series = {};
  std::string note = {};              // last reason
  std::string until = {};             // of an acceptance: 2026-03-01; empty: for good
  std::optional<double> expect = {};  // of an acceptance: a change that is accepted, 0.03
  std::string assignee = {};          // whose it is; empty: nobody's yet
  std::vector<track::TrackEvent> events = {};
  // Of no event: for those who show it, see campaign/range_commits.h. The newest first.
  std::vector<RangeCommit> commits = {};
  std::size_t commits_in_range = 0;

  [[nodiscard]] const AlertSeries* find(std::string_view series_id) const;
};

struct AlertLog {
  std::vector<Alert> alerts = {};  // by number

  [[nodiscard]] const Alert* find(std::string_view id) const;
  // The newest open or accepted one of that series on that host; null: there is none.
  [[nodiscard]] const Alert* of_series(std::string_view series, std::string_view host,
                                       std::string_view experiment) const;
};
// In the order in which they were recorded. States that older versions wrote become those of today.
[[nodiscard]] AlertLog fold_alerts(std::span<const track::TrackEvent> events);
// One event more, which gets the states from and to which it led.
void apply_event(AlertLog& log, track::TrackEvent& event);

// A series that is told, grew or is back.
struct SeriesEvent {
  AlertEvent what = AlertEvent::kTold;
  std::string alert = {};
  AlertSeries series = {};
  track::EventNight night = {};
  std::string reason = {};
};
[[nodiscard]] track::TrackEvent event_of(const SeriesEvent& event);
[[nodiscard]] track::TrackEvent event_of(AlertEvent what, const std::string& alert,
                                         const track::EventNight& night, std::string reason);

// "A18": one more than the highest number in use.
[[nodiscard]] std::string next_alert_id(const AlertLog& log);

}  // namespace stepbench::nights
