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

const TrackedRun& run_named(std::span<const TrackedRun> runs, const std::string& id) {
  const TrackedRun* found = find_run(runs, id);
  return found == nullptr ? runs.front() : *found;
}

// What an alert that is not told yet becomes by its series; the most serious counts.
std::optional<AlertEvent> event_by_series(const Alert& alert, bool undecided_left) {
  const auto any = [&](Telling telling) {
    return std::any_of(alert.series.begin(), alert.series.end(),
                       [&](const AlertSeries& each) { return each.telling() == telling; });
  };
  if (any(Telling::kTold)) return alert.worse ? AlertEvent::kConfirmed : AlertEvent::kImproved;
  if (any(Telling::kReproduced)) return AlertEvent::kReproduced;
  if (any(Telling::kDoubtful)) return AlertEvent::kDoubted;
  return undecided_left ? std::nullopt : std::optional(AlertEvent::kNotReproduced);
}

// Whether every series of a regression is where it was before.
bool all_gone(const Alert& alert) {
  return std::all_of(alert.series.begin(), alert.series.end(), [](const AlertSeries& each) {
    return !each.holds() || is_gone(each.measured, each.higher());
  });
}

struct Answers {
  const MeasuredSuspect* first = nullptr;        // whose reason is told
  const MeasuredSuspect* invalid = nullptr;      // measured, and not to be judged
  const MeasuredSuspect* environment = nullptr;  // nothing that could be set beside each other
  bool unanswered = false;                       // a series was not measured
};

Answers answers_of(const Alert& alert, const std::vector<const MeasuredSuspect*>& suspects) {
  Answers answers;
  for (const AlertSeries& series : alert.series) {
    const auto found = std::find_if(suspects.begin(), suspects.end(), [&](const auto* suspect) {
      return suspect->series == series.id;
    });
    if (found == suspects.end()) {
      answers.unanswered = answers.unanswered || alert.is_undecided(series);
      continue;
    }
    const MeasuredSuspect& one = **found;
    if (answers.first == nullptr && !one.measured.empty()) answers.first = &one;
    if (!one.measured.empty()) continue;
    if (!one.unusable.empty()) {
      answers.unanswered = true;
    } else if (one.state == AlertState::kInvalid) {
      answers.invalid = &one;
    } else if (one.state == AlertState::kEnvironmentChange ||
               one.state == AlertState::kNotReproduced) {
      answers.environment = &one;
    } else {
      answers.unanswered = true;
    }
  }
  return answers;
}

void add_events_of_alert(std::vector<TrackEvent>& events, Alert alert,
                         const std::vector<const MeasuredSuspect*>& suspects,
                         std::span<const TrackedRun> tonight) {
  for (const MeasuredSuspect* suspect : suspects) {
    const EventNight night = night_of(run_named(tonight, suspect->run));
    const bool closing =
        alert.state == AlertState::kRegression && !alert.is_undecided(*alert.find(suspect->series));
    for (AlertMeasurement measured : suspect->measured) {
      measured.closing = closing;
      events.push_back(event_of(MeasuredSeries{suspect->series, std::move(measured)}, alert.id,
                                night, suspect->why));
      (void)apply_event(alert, events.back());
    }
  }
  const Answers answers = answers_of(alert, suspects);
  const MeasuredSuspect* told = answers.first;
  std::optional<AlertEvent> what;
  if (alert.state == AlertState::kRegression) {
    if (all_gone(alert)) what = AlertEvent::kFixed;
  } else if (is_pending(alert.state)) {
    const bool left = answers.unanswered || answers.invalid != nullptr;
    if (told != nullptr) what = event_by_series(alert, left || answers.environment != nullptr);
    if (!what && answers.invalid != nullptr) {
      what = AlertEvent::kInvalid;
      told = answers.invalid;
    } else if (!what && !left && answers.environment != nullptr) {
      what = answers.environment->state == AlertState::kNotReproduced
                 ? AlertEvent::kNotReproduced
                 : AlertEvent::kEnvironmentChange;
      told = answers.environment;
    }
  }
  if (!what || told == nullptr) return;
  const auto next = state_after(alert.state, *what, alert.before);
  // Once more what it is already says nothing.
  if (!next || *next == alert.state) return;
  events.push_back(event_of(*what, alert.id, night_of(run_named(tonight, told->run)), told->why));
}

bool was_judged(NightState state) {
  return state == NightState::kOk || state == NightState::kNotReproduced ||
         state == NightState::kImprovement || state == NightState::kAcknowledged ||
         state == NightState::kFixed || state == NightState::kDoubtful ||
         state == NightState::kReproduced || state == NightState::kUnmeasured;
}

}  // namespace

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
    if (run.host != host || is_imported(run)) continue;
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
  for (const MeasuredSuspect& one : measured) {
    if (one.unusable.empty()) continue;
    events.push_back(event_of(UnusableProgram{one.series, one.unusable},
                              night_of(run_named(tonight, one.run)), one.why));
  }
  for (const MeasuredSuspect& bridge : measured) {
    if (!bridge.alert.empty()) continue;
    for (const AlertMeasurement& one : bridge.measured) {
      events.push_back(event_of(MeasuredSeries{bridge.series, one}, {},
                                night_of(run_named(tonight, bridge.run)), bridge.why));
    }
  }
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
      confirmed = confirmed || event.what == name_of(AlertEvent::kConfirmed) ||
                  event.what == name_of(AlertEvent::kImproved);
      rejected = rejected || event.what == name_of(AlertEvent::kNotReproduced);
    }
    if (confirmed) {
      ++precision.confirmed;
    } else if (rejected) {
      ++precision.not_reproduced;
    }
  }
  return precision;
}

NightState verdict_of(const Night& night, bool regressions) {
  bool regression = !night.absent.empty();
  bool suspect = false;
  bool judged = false;
  for (const NightSeries& series : night.series) {
    regression = regression || (series.state == NightState::kRegression && series.worse);
    suspect = suspect || (series.worse && series.state == NightState::kSuspect);
    judged = judged || was_judged(series.state) || series.fired;
  }
  if (regression && regressions) return NightState::kRegression;
  if (night.series.empty()) return NightState::kNoData;
  for (const NightState state :
       {NightState::kFutureDated, NightState::kInvalid, NightState::kNoData}) {
    if (night.count(state) > 0) return state;
  }
  if (suspect) return NightState::kSuspect;
  if (!judged && !regression) return NightState::kWarmingUp;
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
      return allow_inconclusive ? kExitOk : kExitInconclusive;
    default:
      return kExitOk;
  }
}

}  // namespace stepbench::track
