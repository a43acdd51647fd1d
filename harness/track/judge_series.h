// SPDX-License-Identifier: Apache-2.0
// What one series did tonight: whether it moved, since when, and what is to be measured of it.
// Pure; one thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/track/held_against.h"
#include "harness/track/night.h"
#include "harness/track/night_alerts.h"
#include "harness/track/night_facts.h"

namespace stepbench::track {

class SeriesJudge {
 public:
  // Both outlive this.
  SeriesJudge(const NightFacts& facts, const NightAlerts& alerts)
      : facts_(facts), alerts_(alerts) {}

  // Nothing: the series is not of tonight.
  [[nodiscard]] std::optional<NightSeries> judge(const SeriesHistory& series);

  // Found on the way.
  [[nodiscard]] std::vector<CohortChange>& cohorts() { return cohorts_; }
  // Series that are not in tonight's plan any more, by experiment.
  [[nodiscard]] const std::map<std::string, std::size_t>& gone() const { return gone_; }

 private:
  [[nodiscard]] std::optional<NightSeries> without_a_point(const SeriesHistory& series,
                                                           std::optional<std::size_t> at);
  void follow_suspicion(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                        const Alert& alert) const;
  void judge_level(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                   const Alert* alert);
  void take_screen(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                   const HeldAgainst& held, const ScreenAnswer& answer, bool new_cohort) const;
  void tell_environment(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                        const HeldAgainst& held, std::optional<double> since) const;
  void find_pin(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                const SeriesLevel& level) const;
  void plan_bridge(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                   const HeldAgainst& held) const;
  [[nodiscard]] bool take_bridge(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                                 const SeriesLevel& level, const Alert* alert) const;
  [[nodiscard]] bool take_drift(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                                const HeldAgainst& held, const Alert* alert) const;
  [[nodiscard]] bool drift_is_due(const SeriesHistory& series, std::size_t at) const;
  [[nodiscard]] std::string last_bridged_good(const SeriesHistory& series, const SeriesLevel& level,
                                              const AlertMeasurement& tonight) const;
  [[nodiscard]] bool is_way_back(const NightSeries& judged, const Alert* alert) const;
  void find_range(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                  const HeldAgainst& held, const ScreenAnswer& answer) const;
  void explain_by_control(NightSeries& judged, const SeriesHistory& series) const;

  const NightFacts& facts_;
  const NightAlerts& alerts_;
  std::vector<CohortChange> cohorts_;
  std::map<std::string, std::size_t> gone_;
};

}  // namespace stepbench::track
