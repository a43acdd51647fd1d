// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/check_night.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/track/baseline.h"
#include "harness/track/level.h"

namespace stepbench::campaign {
namespace {

constexpr std::size_t kPhasesInACause = 2;
constexpr std::size_t kOpsInACause = 2;
// Points of a level, and some of nights that are left out of it.
constexpr std::size_t kPointsToLoad = track::kLevelPoints + 40;

std::string known_hosts(const std::vector<track::TrackedRun>& runs) {
  std::set<std::string> hosts;
  for (const track::TrackedRun& run : runs) hosts.insert(run.host);
  return text::join(hosts);
}

std::vector<std::string> chosen_night(const CheckRequest& request,
                                      const std::vector<track::TrackedRun>& runs) {
  if (request.nights.empty()) return track::tonights_runs(runs, request.host, request.now_utc);
  std::vector<std::string> ids;
  std::string host;
  for (const std::string& wanted : request.nights) {
    const track::TrackedRun& run = track::run_meant(wanted, runs, "--night");
    if (!host.empty() && host != run.host) {
      throw ConfigError(
          "--night", "runs of two machines, " + host + " and " + run.host + ", are not one night");
    }
    host = run.host;
    ids.push_back(run.run_id);
  }
  return ids;
}

const track::TrackedRun* run_of_id(const std::vector<track::TrackedRun>& runs,
                                   const std::string& id) {
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [&](const track::TrackedRun& run) { return run.run_id == id; });
  return found == runs.end() ? nullptr : &*found;
}

// All points are needed where an old night counts: an alert that is not closed and began long ago,
// or an old night that is judged again.
std::size_t points_to_load(const std::vector<track::TrackedRun>& runs,
                           const std::vector<std::string>& ids, const track::AlertLog& alerts) {
  const track::TrackedRun* tonight = run_of_id(runs, ids.front());
  std::size_t later = 0;
  std::map<std::string, std::size_t> nights_since;  // by run id, of its experiment
  std::map<std::string, std::size_t> of_experiment;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (run->host != tonight->host) continue;
    nights_since[run->run_id] = of_experiment[run->experiment]++;
    later += run->started_utc > tonight->started_utc ? 1 : 0;
  }
  std::size_t oldest = later;
  for (const track::Alert& alert : alerts.alerts) {
    if (!track::is_open(alert.state) && alert.state != track::AlertState::kAcknowledged) continue;
    const auto since = nights_since.find(alert.first_bad);
    if (since != nights_since.end()) oldest = std::max(oldest, since->second);
  }
  return oldest > track::kLevelPoints ? 0 : kPointsToLoad;
}

// Series that are to be measured again, by the run in which they moved and their last good one.
using SuspectGroups = std::map<std::pair<std::string, std::string>, std::vector<Suspect>>;

// How often tonight's program was measured again and it was there.
int times_there(const track::AlertSeries& series, const std::string& tonight) {
  return static_cast<int>(std::count_if(series.measured.begin(), series.measured.end(),
                                        [&](const track::AlertMeasurement& each) {
                                          return each.reproduced && each.night == tonight;
                                        }));
}

bool wants_measuring(const track::NightSeries& series, const track::Alert& alert,
                     int confirmations) {
  const track::AlertSeries* known = alert.find(series.series.id);
  if (known == nullptr || !known->holds() || !series.fired) return false;
  switch (alert.state) {
    case track::AlertState::kSuspect:
    case track::AlertState::kInvalid:
      return true;
    case track::AlertState::kReproduced:
      return times_there(*known, series.run) < confirmations;
    case track::AlertState::kRegression:
      return known->measured.empty();
    default:
      return false;
  }
}

SuspectGroups suspects_of(const track::Night& night, int confirmations) {
  SuspectGroups groups;
  for (const track::NightSeries& series : night.series) {
    const track::Alert* alert = night.alerts.find(series.alert);
    if (alert == nullptr || series.run.empty()) continue;
    if (!wants_measuring(series, *alert, confirmations)) continue;
    const track::AlertSeries& known = *alert->find(series.series.id);
    groups[{series.run, known.last_good}].push_back(
        {.series = series.series.id,
         .case_id = series.series.case_id,
         .metric = series.series.metric,
         .direction = series.series.direction,
         .higher = series.higher,
         .steps = series.steps,
         .confirmations = times_there(known, series.run)});
  }
  return groups;
}

ConfirmRequest confirm_request(const CheckRequest& request,
                               const std::vector<track::TrackedRun>& runs,
                               const std::string& tonight, const std::string& good,
                               std::vector<Suspect> suspects) {
  ConfirmRequest asked{.tonight = *run_of_id(runs, tonight),
                       .good_worker = request.good_worker,
                       .relinked = request.relinked,
                       .suspects = std::move(suspects),
                       .confirmations = request.confirmations,
                       .results = request.results,
                       .lock = request.lock,
                       .allow = request.allow,
                       .who = request.who};
  if (const track::TrackedRun* run = run_of_id(runs, good)) asked.good = *run;
  return asked;
}

std::vector<track::MeasuredSuspect> answers_of(const ConfirmedNight& measured,
                                               const track::Night& night, const std::string& run) {
  std::vector<track::MeasuredSuspect> answers;
  for (const ConfirmedSeries& series : measured.series) {
    const auto judged = std::find_if(
        night.series.begin(), night.series.end(),
        [&](const track::NightSeries& each) { return each.series.id == series.suspect.series; });
    if (judged == night.series.end()) continue;
    answers.push_back(measured_suspect(series, judged->alert, run));
  }
  return answers;
}

}  // namespace

track::MeasuredSuspect measured_suspect(const ConfirmedSeries& series, const std::string& alert,
                                        const std::string& run) {
  track::MeasuredSuspect suspect{.series = series.suspect.series,
                                 .alert = alert,
                                 .run = run,
                                 .state = series.state,
                                 .why = series.why};
  for (std::size_t i = 0; i < series.answers.size(); ++i) {
    const track::ConfirmAnswer& one = series.answers[i];
    const bool last = i + 1 == series.answers.size();
    suspect.measured.push_back({.reproduced = one.reproduced,
                                .change = one.change,
                                .low = one.low,
                                .high = one.high,
                                .p = one.p,
                                .pairs = static_cast<std::int64_t>(one.pairs),
                                .night = run,
                                .campaign = series.folders.at(i).string(),
                                .cause = last ? cause_text(series) : std::string()});
  }
  return suspect;
}

std::string cause_text(const ConfirmedSeries& series) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(series.cause.size(), kPhasesInACause); ++i) {
    const compare::PhaseChange& phase = series.cause[i];
    parts.push_back(phase.phase + ' ' + text::signed_duration(phase.change_ns) + ", " +
                    text::percent_text(phase.share) + " of the change");
  }
  for (std::size_t i = 0; i < std::min(series.ops.size(), kOpsInACause); ++i) {
    const compare::OpChange& op = series.ops[i];
    const double calls = op.candidate_calls - op.base_calls;
    std::string text = op.name;
    if (calls != 0) text += (calls > 0 ? " +" : " ") + text::significant(calls) + " calls/step";
    if (op.change_ns) text += ' ' + text::signed_duration(*op.change_ns) + " per step";
    if (!op.phase.empty()) text += " in " + op.phase;
    parts.push_back(std::move(text));
  }
  return text::join(parts, "; ");
}

CheckedNight check_night(const CheckRequest& request, track::TrackStore& store,
                         const MeasureSuspects& measure) {
  CheckedNight checked;
  const std::vector<track::TrackedRun> runs = store.runs();
  const std::vector<std::string> ids = chosen_night(request, runs);
  std::vector<track::TrackEvent> events = store.events();
  track::NightInput input{.history = checked.history,
                          .runs = runs,
                          .tonight = ids,
                          .events = events,
                          .screen = {.kind = request.screen},
                          .now_utc = request.now_utc,
                          .allow_inconclusive = request.allow_inconclusive};
  if (ids.empty()) {
    checked.night = track::judge_night(input);
    checked.night.notes.push_back(
        runs.empty()
            ? "the history is empty: `stepbench track add RUN` takes a run in"
            : "the history has no run of this machine, " + request.host + "; it has runs of " +
                  known_hosts(runs) + ": --night RUN names one of them");
    return checked;
  }
  track::HistoryQuery query{.host = run_of_id(runs, ids.front())->host,
                            .last = points_to_load(runs, ids, track::fold_alerts(events))};
  for (const std::string& id : ids) query.experiments.push_back(run_of_id(runs, id)->experiment);
  checked.history = store.history(query);

  const auto judge = [&] {
    input.events = events;
    checked.night = track::judge_night(input);
  };
  const auto record = [&](std::vector<track::TrackEvent> fresh) {
    if (fresh.empty()) return;
    track::AlertLog log = track::fold_alerts(events);
    track::add_events(log, fresh);
    for (track::TrackEvent& event : fresh) {
      event.at_utc = request.now_utc;
      event.who = request.who;
    }
    store.record(fresh);
    events.insert(events.end(), fresh.begin(), fresh.end());
    judge();
  };
  judge();
  record(checked.night.events);
  if (!measure || !checked.night.is_newest || query.host != request.host) return checked;

  std::vector<track::MeasuredSuspect> answers;
  for (auto& [between, suspects] : suspects_of(checked.night, request.confirmations)) {
    checked.measured.push_back(measure(
        confirm_request(request, runs, between.first, between.second, std::move(suspects))));
    for (track::MeasuredSuspect& answer :
         answers_of(checked.measured.back(), checked.night, between.first)) {
      answers.push_back(std::move(answer));
    }
    checked.signal = checked.measured.back().signal;
    if (checked.signal) break;
  }
  record(track::events_of(answers, checked.night.alerts, checked.night.runs));
  return checked;
}

}  // namespace stepbench::campaign
