// SPDX-License-Identifier: Apache-2.0
// How a night's moves find their alerts: which alert of earlier nights follows a series still,
// which one a move joins or opens again, and the events that come of it. Pure; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/track/night.h"

namespace stepbench::track {

// Nights after which a closed alert is not opened again: a new one is.
inline constexpr std::size_t kReopenNights = 3;

// What the alerts of one host say of each series tonight.
class NightAlerts {
 public:
  // `log` outlives this.
  NightAlerts(const AlertLog& log, const NightInput& input);

  // The alert that speaks for this series tonight: an open or acknowledged one in which it holds,
  // or one that came to its end tonight. Null: none.
  [[nodiscard]] const Alert* of(std::string_view series) const;
  // Whether that alert is to be held against tonight's points once more: it is open or
  // acknowledged, and older than tonight.
  [[nodiscard]] bool is_followed(const Alert& alert) const;

  // The events by which series that fired, none of which has an alert, join or open alerts.
  [[nodiscard]] std::vector<TrackEvent> joining_events(
      const std::vector<const NightSeries*>& fired) const;

 private:
  [[nodiscard]] bool ended_tonight(const Alert& alert) const;
  [[nodiscard]] bool same_range(const Alert& alert, const NightSeries& series) const;
  [[nodiscard]] bool may_reopen(const Alert& alert, const NightSeries& series) const;
  [[nodiscard]] std::string commit_of(std::string_view run) const;
  [[nodiscard]] std::string utc_of(std::string_view run) const;

  const AlertLog& log_;
  const NightInput& input_;
  std::string host_;
  std::string first_utc_;  // of tonight's runs
  std::map<std::string, const TrackedRun*, std::less<>> runs_;
  std::map<std::string, const Alert*, std::less<>> by_series_;
};

// An event of tonight without its author and time.
[[nodiscard]] TrackEvent night_event(AlertEvent what, const std::string& alert,
                                     const TrackedRun& tonight, std::string reason,
                                     Fields details = {});

}  // namespace stepbench::track
