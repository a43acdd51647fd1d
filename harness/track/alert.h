// SPDX-License-Identifier: Apache-2.0
// The alerts of a history, as their events made them: life_cycle.h says what an event leads to.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/track/alert_events.h"
#include "harness/track/life_cycle.h"
#include "harness/track/told_rule.h"

namespace stepbench::track {

// A series of an alert, as it was when it joined.
struct AlertSeries {
  std::string id = {};
  std::string experiment = {};
  std::string first_bad = {};  // run ids between which it moved
  std::string last_good = {};
  std::string suspected_good = {};  // last_good before anything was measured
  double usual = 0;                 // in the series' unit
  double value = 0;
  double change = 0;  // value / usual - 1
  double score = 0;
  std::string against = {};  // run id of the kept program that showed it; empty: the screen did
  std::vector<AlertMeasurement> measured = {};  // oldest first

  [[nodiscard]] bool higher() const { return change > 0; }
  [[nodiscard]] Telling telling() const { return telling_of(measured, higher()); }
  // Unless it was measured again and dismissed.
  [[nodiscard]] bool holds() const { return telling() != Telling::kDismissed; }
  // The newest measurement; null without any.
  [[nodiscard]] const AlertMeasurement* last() const {
    return measured.empty() ? nullptr : &measured.back();
  }
};

// A commit of an alert's range, as git tells it.
struct RangeCommit {
  std::string sha = {};
  std::string author = {};
  std::string title = {};
  std::string url = {};  // empty: nobody said where commits are shown
};

// One episode: all series that moved between the same commits. What moves after it is another.
struct Alert {
  std::string id = {};  // "A17"
  AlertState state = AlertState::kSuspect;
  bool worse = true;
  std::string host = {};
  std::string experiment = {};  // of the series that opened it
  std::string opened_run = {};  // run id of the night that opened it
  std::string opened_utc = {};  // when that night was measured
  std::string first_bad = {};   // run ids between which it came
  std::string last_good = {};
  std::vector<AlertSeries> series = {};
  int confirmations = 0;         // measurements in which it was there
  std::string told_utc = {};     // of the night that told it; empty: not told
  std::string news_utc = {};     // of the night that told it last: it may be told again
  std::string changed_utc = {};  // of the night that brought it to its state
  std::string note = {};         // last reason
  std::string until = {};        // of an acknowledgement: 2026-03-01; empty: for good
  // Of an acknowledgement: a change that is accepted, 0.03.
  std::optional<double> expect = {};
  AlertState before = AlertState::kSuspect;  // the state that an acknowledgement ended
  bool by_baseline = false;                  // fixed so
  bool still_moved = false;                  // when it expired unmeasured
  std::string assignee = {};                 // whose it is; empty: nobody's yet
  std::vector<TrackEvent> events = {};
  // Of no event: for those who show it, see campaign/range_commits.h. The newest first.
  std::vector<RangeCommit> commits = {};
  std::size_t commits_in_range = 0;

  [[nodiscard]] const AlertSeries* find(std::string_view series_id) const;
  // Whether this series of it waits for a measurement.
  [[nodiscard]] bool is_undecided(const AlertSeries& one) const;
};

struct AlertLog {
  std::vector<Alert> alerts = {};  // by number
  // Sentences: events that cannot have happened, as in a file that was edited. They are left out.
  std::vector<std::string> left_out = {};

  [[nodiscard]] const Alert* find(std::string_view id) const;
};

// One event more; of an alert without events the one that opens it. False: it cannot happen now,
// and the alert stays as it was.
bool apply_event(Alert& alert, const TrackEvent& event);

// Called with each event before it is applied, and the alert as it was then; null: of no alert.
using SeeEvent = std::function<void(const Alert* before, const TrackEvent& event)>;
// In the order in which they were recorded.
[[nodiscard]] AlertLog fold_alerts(std::span<const TrackEvent> events, const SeeEvent& see = {});

// Adds events that are about to be recorded, and writes into each from which state to which it led.
void add_events(AlertLog& log, std::span<TrackEvent> events);

// "A18": one more than the highest number in use.
[[nodiscard]] std::string next_alert_id(std::span<const TrackEvent> events);

}  // namespace stepbench::track
