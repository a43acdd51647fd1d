// SPDX-License-Identifier: Apache-2.0
#include "harness/track/night_alerts.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "harness/text/numbers.h"

namespace stepbench::track {
namespace {

std::string move_text(const NightSeries& series, ScreenKind screen) {
  std::string text =
      series.series.metric + ' ' + text::signed_percent(series.change.value_or(0)) + " %";
  if (series.bridged) return text + ": " + series.why;
  return text + " (" + std::string(name_of(screen)) + ' ' +
         text::significant(series.score.value_or(0), 2) + ')';
}

MovedSeries moved_of(const NightSeries& series) {
  return {.series = series.series.id,
          .worse = series.worse,
          .first_bad = series.first_bad,
          .last_good = series.last_good,
          .usual = series.usual.value_or(0),
          .value = series.value.value_or(0),
          .change = series.change.value_or(0),
          .score = series.score,
          .against = series.bridged ? series.pin : std::string()};
}

// "A18" is followed by "A19".
std::string following_id(const std::string& id) {
  std::int64_t number = 0;
  std::from_chars(id.data() + 1, id.data() + id.size(), number);
  return 'A' + std::to_string(number + 1);
}

}  // namespace

NightAlerts::NightAlerts(const AlertLog& log, const NightInput& input) : log_(log), input_(input) {
  for (const TrackedRun& run : input.runs) runs_[run.run_id] = &run;
  for (const std::string& id : input.tonight) {
    const auto run = runs_.find(id);
    if (run == runs_.end()) continue;
    host_ = run->second->host;
    const std::string& utc = run->second->started_utc;
    if (first_utc_.empty() || utc < first_utc_) first_utc_ = utc;
  }
  std::map<std::string, int, std::less<>> ranks;
  for (const Alert& alert : log.alerts) {
    if (alert.host != host_) continue;
    for (const AlertSeries& series : alert.series) {
      if (is_measured_tonight(series) && ended_tonight(alert)) decided_.insert(series.id);
      const int rank = rank_of(alert, series);
      if (rank == 0 || rank < ranks[series.id]) continue;
      ranks[series.id] = rank;
      by_series_[series.id] = &alert;
    }
  }
}

// 0: it does not speak for the series; the highest does.
int NightAlerts::rank_of(const Alert& alert, const AlertSeries& series) const {
  if (alert.is_undecided(series)) return 4;
  if (!series.holds() && !is_measured_tonight(series)) return 0;
  if (alert.state == AlertState::kRegression) return series.holds() ? 3 : 2;
  if (ended_tonight(alert)) return 2;
  return alert.state == AlertState::kAcknowledged ? 1 : 0;
}

bool NightAlerts::is_measured_tonight(const AlertSeries& series) const {
  return series.last() != nullptr &&
         std::ranges::find(input_.tonight, series.last()->night) != input_.tonight.end();
}

bool NightAlerts::is_decided_tonight(std::string_view series) const {
  const Alert* alert = of(series);
  return decided_.contains(series) || (alert != nullptr && ended_tonight(*alert));
}

bool NightAlerts::ended_tonight(const Alert& alert) const {
  return !is_pending(alert.state) && !alert.changed_utc.empty() && alert.changed_utc >= first_utc_;
}

const Alert* NightAlerts::of(std::string_view series) const {
  const auto found = by_series_.find(series);
  return found == by_series_.end() ? nullptr : found->second;
}

std::string NightAlerts::commit_of(std::string_view run) const {
  const auto found = runs_.find(run);
  if (found == runs_.end()) return {};
  const TrackedRun& known = *found->second;
  return known.git_sha.empty() ? known.build_id : known.git_sha;
}

std::string NightAlerts::utc_of(std::string_view run) const {
  const auto found = runs_.find(run);
  return found == runs_.end() ? std::string() : found->second->started_utc;
}

// Whether what moved lies between commits that overlap those of the alert.
bool NightAlerts::same_range(const Alert& alert, const NightSeries& series) const {
  for (const AlertSeries& known : alert.series) {
    if (commit_of(known.last_good) == commit_of(series.last_good) &&
        commit_of(known.first_bad) == commit_of(series.first_bad)) {
      return true;
    }
    const auto run = runs_.find(series.run);
    if (run == runs_.end() || known.experiment != run->second->experiment) continue;
    if (known.last_good.empty() || series.last_good.empty()) continue;
    if (utc_of(series.last_good) < utc_of(known.first_bad) &&
        utc_of(known.last_good) < utc_of(series.first_bad)) {
      return true;
    }
  }
  return false;
}

std::vector<TrackEvent> NightAlerts::joining_events(
    const std::vector<const NightSeries*>& fired) const {
  AlertLog now = log_;
  std::string fresh = next_alert_id(input_.events);
  std::vector<TrackEvent> events;
  const auto choose = [&](const NightSeries& series) -> std::string {
    for (const Alert& alert : now.alerts) {
      if (alert.host != host_ || alert.worse != series.worse || !is_open(alert.state)) continue;
      if (alert.find(series.series.id) == nullptr && same_range(alert, series)) return alert.id;
    }
    return std::exchange(fresh, following_id(fresh));
  };
  for (const NightSeries* series : fired) {
    const TrackedRun& tonight = *runs_.at(series->run);
    const std::string id = choose(*series);
    events.push_back(
        event_of(moved_of(*series), id, night_of(tonight), move_text(*series, input_.screen.kind)));
    const auto known = std::find_if(now.alerts.begin(), now.alerts.end(),
                                    [&](const Alert& alert) { return alert.id == id; });
    apply_event(known == now.alerts.end() ? now.alerts.emplace_back() : *known, events.back());
  }
  return events;
}

}  // namespace stepbench::track
