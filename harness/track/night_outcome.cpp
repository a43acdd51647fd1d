// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>

#include "harness/base/exit_status.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"
#include "harness/track/night.h"
#include "harness/track/night_alerts.h"

namespace stepbench::track {
namespace {

using namespace std::chrono_literals;

constexpr auto kNightLasts = 20h;
constexpr auto kFutureAfter = 24h;

constexpr std::array<std::string_view, kNightStates> kNightNames = {
    "ok",           "warming-up", "suspect",     "not-reproduced",
    "reproduced",   "regression", "improvement", "environment-change",
    "acknowledged", "fixed",      "invalid",     "no-data",
    "future-dated", "ignored"};

// The most serious first: what an alert becomes by the answers of its series.
constexpr std::array<AlertState, 6> kSeriousness = {
    AlertState::kRegression, AlertState::kImprovement,       AlertState::kReproduced,
    AlertState::kInvalid,    AlertState::kEnvironmentChange, AlertState::kNotReproduced};

std::optional<AlertEvent> event_leading_to(AlertState state) {
  switch (state) {
    case AlertState::kRegression:
      return AlertEvent::kConfirmed;
    case AlertState::kImprovement:
      return AlertEvent::kImproved;
    case AlertState::kReproduced:
      return AlertEvent::kReproduced;
    case AlertState::kInvalid:
      return AlertEvent::kInvalid;
    case AlertState::kEnvironmentChange:
      return AlertEvent::kEnvironmentChange;
    case AlertState::kNotReproduced:
      return AlertEvent::kNotReproduced;
    default:
      return std::nullopt;
  }
}

Fields details_of(const std::string& series, const AlertMeasurement& measured) {
  return {{"series", series},          {"reproduced", measured.reproduced},
          {"change", measured.change}, {"low", measured.low},
          {"high", measured.high},     {"p", measured.p},
          {"pairs", measured.pairs},   {"campaign", measured.campaign},
          {"cause", measured.cause}};
}

const TrackedRun& run_named(std::span<const TrackedRun> runs, const std::string& id) {
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [&](const TrackedRun& run) { return run.run_id == id; });
  return found == runs.end() ? runs.front() : *found;
}

// Whether a series of the alert is still to be measured.
bool is_undecided(const Alert& alert, const std::vector<const MeasuredSuspect*>& suspects) {
  return std::any_of(alert.series.begin(), alert.series.end(), [&](const AlertSeries& series) {
    const auto found = std::find_if(suspects.begin(), suspects.end(), [&](const auto* suspect) {
      return suspect->series == series.id;
    });
    if (found == suspects.end()) return series.holds();
    return (*found)->state == AlertState::kSuspect;
  });
}

// How many times it was there, tonight's measurements among them.
std::int64_t times_reproduced(const Alert& alert, const MeasuredSuspect& suspect) {
  const auto count = [](const std::vector<AlertMeasurement>& measured) {
    return std::count_if(measured.begin(), measured.end(),
                         [](const AlertMeasurement& each) { return each.reproduced; });
  };
  const AlertSeries* known = alert.find(suspect.series);
  return count(suspect.measured) + (known == nullptr ? 0 : count(known->measured));
}

void add_events_of_alert(std::vector<TrackEvent>& events, const Alert& alert,
                         const std::vector<const MeasuredSuspect*>& suspects,
                         std::span<const TrackedRun> tonight) {
  for (const MeasuredSuspect* suspect : suspects) {
    for (const AlertMeasurement& measured : suspect->measured) {
      TrackEvent event = night_event(AlertEvent::kFired, alert.id, run_named(tonight, suspect->run),
                                     suspect->why, details_of(suspect->series, measured));
      event.what = kMeasuredEvent;
      events.push_back(std::move(event));
    }
  }
  for (const AlertState state : kSeriousness) {
    const auto found = std::find_if(suspects.begin(), suspects.end(),
                                    [&](const auto* suspect) { return suspect->state == state; });
    if (found == suspects.end()) continue;
    const bool clears =
        state == AlertState::kNotReproduced || state == AlertState::kEnvironmentChange;
    if (clears && is_undecided(alert, suspects)) return;
    const auto event = event_leading_to(state);
    const auto next = event ? state_after(alert.state, *event, alert.before) : std::nullopt;
    if (!next) continue;
    // Once more what it is already says nothing.
    if (next == alert.state) return;
    Fields details;
    if (const std::int64_t times = times_reproduced(alert, **found); times > 0) {
      details["confirmations"] = times;
    }
    events.push_back(night_event(*event, alert.id, run_named(tonight, (*found)->run), (*found)->why,
                                 std::move(details)));
    return;
  }
}

bool was_judged(NightState state) {
  return state == NightState::kOk || state == NightState::kNotReproduced ||
         state == NightState::kImprovement || state == NightState::kAcknowledged ||
         state == NightState::kFixed;
}

}  // namespace

std::string_view name_of(NightState state) {
  return kNightNames.at(static_cast<std::size_t>(state));
}

std::size_t Night::count(NightState state) const {
  return static_cast<std::size_t>(std::count_if(
      series.begin(), series.end(), [&](const NightSeries& each) { return each.state == state; }));
}

bool is_future(std::string_view started_utc, std::string_view now_utc) {
  const auto started = text::parse_utc(started_utc);
  const auto now = text::parse_utc(now_utc);
  return started && now && *started > *now + kFutureAfter;
}

std::vector<std::string> tonights_runs(std::span<const TrackedRun> runs, std::string_view host,
                                       std::string_view now_utc) {
  const auto now = text::parse_utc(now_utc);
  // Of each experiment the newest, and the newest whose date can be believed.
  std::map<std::string, std::pair<const TrackedRun*, const TrackedRun*>> newest;
  for (const TrackedRun& run : runs) {
    if (run.host != host) continue;
    auto& [any, believed] = newest[run.experiment];
    any = &run;
    if (!is_future(run.started_utc, now_utc)) believed = &run;
  }
  std::vector<const TrackedRun*> chosen;
  std::string latest;
  for (const auto& [experiment, pair] : newest) {
    const auto& [any, believed] = pair;
    const auto at = believed == nullptr ? std::nullopt : text::parse_utc(believed->started_utc);
    const bool fresh = any == believed || (at && now && *at + kNightLasts >= *now);
    chosen.push_back(fresh ? believed : any);
    latest = std::max(latest, chosen.back()->started_utc);
  }
  std::vector<std::string> ids;
  const auto last = text::parse_utc(latest);
  for (const TrackedRun* run : chosen) {
    const auto at = text::parse_utc(run->started_utc);
    if (!last || !at || *at + kNightLasts >= *last) ids.push_back(run->run_id);
  }
  return ids;
}

std::vector<TrackEvent> events_of(std::span<const MeasuredSuspect> measured, const AlertLog& alerts,
                                  std::span<const TrackedRun> tonight) {
  std::vector<TrackEvent> events;
  for (const Alert& alert : alerts.alerts) {
    std::vector<const MeasuredSuspect*> suspects;
    for (const MeasuredSuspect& suspect : measured) {
      if (suspect.alert == alert.id && alert.find(suspect.series) != nullptr) {
        suspects.push_back(&suspect);
      }
    }
    if (!suspects.empty()) add_events_of_alert(events, alert, suspects, tonight);
  }
  return events;
}

AlertPrecision precision_of(const AlertLog& alerts) {
  AlertPrecision precision;
  for (const Alert& alert : alerts.alerts) {
    bool confirmed = false;
    bool rejected = false;
    for (const TrackEvent& event : alert.events) {
      confirmed = confirmed || event.what == name_of(AlertEvent::kReproduced) ||
                  event.what == name_of(AlertEvent::kConfirmed) ||
                  event.what == name_of(AlertEvent::kImproved);
      rejected = rejected || event.what == name_of(AlertEvent::kNotReproduced);
    }
    if (confirmed && alert.state != AlertState::kNotReproduced) {
      ++precision.confirmed;
    } else if (rejected) {
      ++precision.not_reproduced;
    }
  }
  return precision;
}

NightState verdict_of(const Night& night) {
  bool regression = false;
  bool suspect = false;
  bool judged = false;
  for (const NightSeries& series : night.series) {
    regression = regression || (series.state == NightState::kRegression && series.worse);
    suspect = suspect || (series.worse && (series.state == NightState::kSuspect ||
                                           series.state == NightState::kReproduced));
    judged = judged || was_judged(series.state) || series.fired;
  }
  if (night.series.empty()) return NightState::kNoData;
  if (regression) return NightState::kRegression;
  for (const NightState state :
       {NightState::kFutureDated, NightState::kInvalid, NightState::kNoData}) {
    if (night.count(state) > 0) return state;
  }
  if (suspect) {
    return night.count(NightState::kReproduced) > 0 ? NightState::kReproduced
                                                    : NightState::kSuspect;
  }
  if (!judged) return NightState::kWarmingUp;
  return night.count(NightState::kImprovement) > 0 ? NightState::kImprovement : NightState::kOk;
}

int exit_code_of(NightState verdict, bool allow_inconclusive) {
  switch (verdict) {
    case NightState::kRegression:
      return kExitRegression;
    case NightState::kFutureDated:
    case NightState::kInvalid:
    case NightState::kNoData:
      return kExitNothingMeasured;
    case NightState::kSuspect:
    case NightState::kReproduced:
    case NightState::kWarmingUp:
      return allow_inconclusive ? kExitOk : kExitInconclusive;
    default:
      return kExitOk;
  }
}

}  // namespace stepbench::track
