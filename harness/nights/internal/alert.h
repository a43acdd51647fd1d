// SPDX-License-Identifier: Apache-2.0
// The alerts of a history, derived from its events, and the notifications that they need. An alert
// is of an experiment on a machine: all of its series that changed between the same builds. Pure;
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/nights/history.h"
#include "harness/nights/internal/event.h"
#include "harness/nights/internal/state.h"

namespace stepbench::nights {

enum class AlertState : std::uint8_t {  // written to disk by name
  kOpen,
  kAccepted,  // by a user
  kFixed,     // measured as fixed
  kClosed     // by a baseline, or converted from an obsolete state of older versions; see `note`
};
constexpr EnumNames<4> names_of(AlertState) { return {"open", "accepted", "fixed", "closed"}; }

// TrackEvent::what of events about an alert.
enum class AlertEvent : std::uint8_t {
  kReported,     // a series was reported: opens the alert, or joins it
  kGrew,         // a reported series became worse
  kRecovered,    // a series returned to its earlier level
  kFixed,        // all series returned
  kAccepted,     // by a user; details: until, expect
  kReopened,     // an acceptance expired, or a user withdrew it
  kClosed,       // by a baseline
  kUnreachable,  // a new reference began, so the level before the change can no longer be measured
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
  Change change = {};     // as reported; `size` includes all later growth
  bool as_share = false;  // sizes are shares of the step; otherwise log ratios
  double usual = 0;       // in the series' unit, when it was reported
  double value = 0;
  std::string reported_run = {};
  std::string cause = {};  // see SeriesPairs; empty: no explanation
  bool back = false;
  bool can_be_measured = true;  // see OpenChange
};

// A commit in an alert's range, from git.
struct RangeCommit {
  std::string sha = {};
  std::string author = {};
  std::string title = {};
  std::string url = {};  // empty: no commit URL configured
};

struct Alert {
  std::string id = {};  // "A17"
  AlertState state = AlertState::kOpen;
  std::string host = {};
  std::string experiment = {};  // including its branch: "nightly@dev"
  std::string opened_run = {};  // run id of the night that reported it
  std::string opened_utc = {};
  std::string news_utc = {};     // night in which it was last reported or reopened
  std::string changed_utc = {};  // night or day of its last change of state
  std::string first_bad = {};    // run ids that enclose the change
  std::string last_good = {};
  std::vector<AlertSeries> series = {};
  std::string note = {};              // last reason
  std::string until = {};             // end of an acceptance, e.g. 2026-03-01; empty: permanent
  std::optional<double> expect = {};  // change covered by an acceptance, e.g. 0.03
  std::string assignee = {};          // empty: unassigned
  std::vector<TrackEvent> events = {};
  // Not from events: filled in for display, see campaign/nightly.h. Newest first.
  std::vector<RangeCommit> commits = {};
  std::size_t commits_in_range = 0;

  [[nodiscard]] const AlertSeries* find(std::string_view series_id) const;
};

struct AlertLog {
  std::vector<Alert> alerts = {};  // sorted by number

  [[nodiscard]] const Alert* find(std::string_view id) const;
  // Returns the newest open or accepted alert of that series on that host; null: none.
  [[nodiscard]] const Alert* of_series(std::string_view series, std::string_view host,
                                       std::string_view experiment) const;
};
// `events` must be in the order of recording. States written by older versions are converted.
[[nodiscard]] AlertLog fold_alerts(std::span<const TrackEvent> events);
// Applies one more event and fills in its states before and after.
void apply_event(AlertLog& log, TrackEvent& event);

// A series that was reported, grew or returned.
struct SeriesEvent {
  AlertEvent what = AlertEvent::kReported;
  std::string alert = {};
  AlertSeries series = {};
  EventNight night = {};
  std::string reason = {};
};
[[nodiscard]] TrackEvent event_of(const SeriesEvent& event);
[[nodiscard]] TrackEvent event_of(AlertEvent what, const std::string& alert,
                                  const EventNight& night, std::string reason);

// "A18": the highest number in use plus one.
[[nodiscard]] std::string next_alert_id(const AlertLog& log);

// Notifications: users are notified of an alert once, and again when it grows or its acceptance
// ends. Notifications are recorded as events, so that none is repeated on another machine or after
// a crash.

// TrackEvent::what of events that are not about an alert. kPeopleNotified is recorded before the
// notification command is started, kNotificationFailed if it failed, so that the next night tries
// again. Details: alert, news.
inline constexpr const char* kPeopleNotified = "people-told";
inline constexpr const char* kNotificationFailed = "people-not-told";

struct Notice {
  std::string alert_id = {};
  std::string news_utc = {};
};

// Notices for open alerts of this host, without news from before `oldest_utc`, in the order of the
// alerts. `host` empty: all hosts.
[[nodiscard]] std::vector<Notice> pending_notices(std::span<const TrackEvent> events,
                                                  std::string_view oldest_utc,
                                                  std::string_view host = {});

// `what`: kPeopleNotified or kNotificationFailed; `reason`: why it failed.
[[nodiscard]] TrackEvent event_of(const Notice& notice, const char* what, std::string at_utc,
                                  std::string who, std::string reason = {});

}  // namespace stepbench::nights
