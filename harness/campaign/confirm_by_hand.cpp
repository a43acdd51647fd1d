// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/confirm_by_hand.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/check_night.h"
#include "harness/track/baseline.h"
#include "harness/track/margins.h"

namespace stepbench::campaign {
namespace {

const track::SeriesHistory& series_of_id(const std::string& id, const track::History& history) {
  const track::SeriesHistory* found = history.find_series(id);
  if (found == nullptr || found->points.empty()) {
    throw ConfigError("SERIES", id + " has no value of this machine");
  }
  return *found;
}

// The alert that this series belongs to and that somebody still has to do something about.
const track::Alert* open_alert(const std::string& series, const track::AlertLog& alerts) {
  const track::Alert* newest = nullptr;
  for (const track::Alert& alert : alerts.alerts) {
    if (track::is_open(alert.state) && alert.find(series) != nullptr) newest = &alert;
  }
  return newest;
}

struct Chosen {
  const track::TrackedPoint* tonight = nullptr;
  const track::TrackedRun* good = nullptr;  // null: there is none
  std::string good_worker = {};
};

const track::TrackedPoint* point_of(const track::SeriesHistory& series,
                                    const track::History& history, const std::string& run_id) {
  for (const track::TrackedPoint& point : series.points) {
    if (history.runs[point.run].run_id == run_id) return &point;
  }
  return nullptr;
}

const track::TrackedRun* usual_good(const track::SeriesHistory& series,
                                    const track::History& history,
                                    const track::TrackedPoint& tonight, const track::Alert* alert) {
  if (alert != nullptr) {
    const track::TrackedRun* run = history.find_run(alert->find(series.series.id)->last_good);
    if (run != nullptr) return run;
  }
  const track::TrackedRun* newest = nullptr;
  for (const track::TrackedPoint& point : series.points) {
    if (&point == &tonight) break;
    const track::TrackedRun& run = history.runs[point.run];
    if (!run.git_dirty && run.build_id != history.runs[tonight.run].build_id) newest = &run;
  }
  return newest;
}

Chosen choose(const HandRequest& request, const track::SeriesHistory& series,
              const track::History& history, const track::Alert* alert) {
  Chosen chosen;
  if (request.night.empty()) {
    chosen.tonight = &series.points.back();
  } else {
    const track::TrackedRun& night = track::resolve_run(request.night, history.runs, "--night");
    chosen.tonight = point_of(series, history, night.run_id);
    if (chosen.tonight == nullptr) {
      throw ConfigError("--night",
                        night.run_id + " has no value of the series " + series.series.id);
    }
  }
  std::error_code ignored;
  if (request.good.empty()) {
    chosen.good = usual_good(series, history, *chosen.tonight, alert);
  } else if (std::filesystem::is_regular_file(request.good, ignored)) {
    chosen.good_worker = request.good;
  } else if (request.good.find('/') != std::string::npos &&
             !std::filesystem::is_directory(request.good, ignored)) {
    throw ConfigError("--good", "there is no program " + request.good);
  } else {
    chosen.good = &track::resolve_run(request.good, history.runs, "--good");
  }
  return chosen;
}

// As its alert says, else as its value moved since the last good night, or since the night before.
bool moved_up(const track::SeriesHistory& series, const track::History& history,
              const Chosen& chosen, const track::Alert* alert) {
  if (alert != nullptr) {
    return alert->worse == (series.series.direction != Direction::kHigherIsBetter);
  }
  const track::TrackedPoint* before =
      chosen.good == nullptr ? nullptr : point_of(series, history, chosen.good->run_id);
  if (before == nullptr && chosen.tonight != series.points.data()) before = chosen.tonight - 1;
  return before == nullptr || chosen.tonight->value >= before->value;
}

}  // namespace

std::vector<ConfirmRequest> requests_by_hand(const HandRequest& request,
                                             const track::History& history,
                                             const track::AlertLog& alerts) {
  std::map<std::pair<std::string, std::string>, ConfirmRequest> by_nights;
  for (const std::string& id : request.series) {
    const track::SeriesHistory& series = series_of_id(id, history);
    const track::Alert* alert = open_alert(id, alerts);
    const Chosen chosen = choose(request, series, history, alert);
    const track::TrackedRun& tonight = history.runs[chosen.tonight->run];
    const std::string good = chosen.good == nullptr ? "" : chosen.good->run_id;
    const auto [entry, is_new] = by_nights.try_emplace({tonight.run_id, good}, request.basis);
    ConfirmRequest& asked = entry->second;
    if (is_new) {
      asked.tonight = tonight;
      if (chosen.good != nullptr) asked.good = *chosen.good;
      asked.good_worker = chosen.good_worker;
    }
    asked.suspects.push_back({.series = id,
                              .case_id = series.series.case_id,
                              .metric = series.series.metric,
                              .direction = series.series.direction,
                              .higher = moved_up(series, history, chosen, alert),
                              .steps = chosen.tonight->steps,
                              .margin = track::RunMargins(tonight).of(series.series)});
  }
  std::vector<ConfirmRequest> requests;
  for (auto& [nights, asked] : by_nights) requests.push_back(std::move(asked));
  return requests;
}

std::vector<track::TrackEvent> events_by_hand(const ConfirmedNight& measured,
                                              const track::TrackedRun& tonight,
                                              const std::string& good,
                                              const track::AlertLog& alerts) {
  std::vector<track::MeasuredSuspect> answers;
  for (const ConfirmedSeries& series : measured.series) {
    const track::Alert* alert = open_alert(series.suspect.series, alerts);
    if (alert == nullptr) continue;
    answers.push_back(measured_suspect(series, alert->id, tonight.run_id, good));
  }
  return answers.empty() ? std::vector<track::TrackEvent>()
                         : track::events_of(answers, alerts, {&tonight, 1});
}

int exit_code_of(const std::vector<ConfirmedNight>& measured) {
  const auto any = [&](std::initializer_list<track::AlertState> states) {
    return std::any_of(measured.begin(), measured.end(), [&](const ConfirmedNight& night) {
      return std::any_of(night.series.begin(), night.series.end(), [&](const auto& one) {
        return std::find(states.begin(), states.end(), one.state) != states.end();
      });
    });
  };
  if (any({track::AlertState::kRegression})) return kExitRegression;
  if (any({track::AlertState::kInvalid, track::AlertState::kEnvironmentChange}))
    return kExitNothingMeasured;
  return any({track::AlertState::kReproduced, track::AlertState::kSuspect}) ? kExitInconclusive
                                                                            : kExitOk;
}

}  // namespace stepbench::campaign
