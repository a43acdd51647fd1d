// SPDX-License-Identifier: Apache-2.0
// How a night's moves find their alerts: which alert speaks for a series tonight, which one a move
// joins, and the events that come of it. What ended is never opened again: what moves later is an
// episode of its own, with its own commits. Pure; any thread.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/track/night.h"

namespace stepbench::track {

// What the alerts of one host say of each series tonight.
class NightAlerts {
 public:
  // `log` outlives this.
  NightAlerts(const AlertLog& log, const NightInput& input);

  // The alert that speaks for this series tonight: the newest in which it is undecided, else the
  // newest regression, else one that came to its end tonight, else one that is accepted. Null:
  // none.
  [[nodiscard]] const Alert* of(std::string_view series) const;
  // Nothing new is opened for a series of which an alert ended tonight: it was measured already.
  [[nodiscard]] bool is_decided_tonight(std::string_view series) const;

  // The events by which series that fired, none of which is undecided, join or open alerts.
  [[nodiscard]] std::vector<TrackEvent> joining_events(
      const std::vector<const NightSeries*>& fired) const;

 private:
  [[nodiscard]] bool ended_tonight(const Alert& alert) const;
  [[nodiscard]] bool is_measured_tonight(const AlertSeries& series) const;
  [[nodiscard]] int rank_of(const Alert& alert, const AlertSeries& series) const;
  [[nodiscard]] bool same_range(const Alert& alert, const NightSeries& series) const;
  [[nodiscard]] std::string commit_of(std::string_view run) const;
  [[nodiscard]] std::string utc_of(std::string_view run) const;

  const AlertLog& log_;
  const NightInput& input_;
  std::string host_;
  std::string first_utc_;  // of tonight's runs
  std::map<std::string, const TrackedRun*, std::less<>> runs_;
  std::map<std::string, const Alert*, std::less<>> by_series_;
  std::set<std::string, std::less<>> decided_;  // series whose alert ended tonight, measured
};

}  // namespace stepbench::track
