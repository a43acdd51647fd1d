// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/track/night/history_maker.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "harness/text/utc.h"
#include "harness/track/confirm_rule.h"
#include "harness/track/night_cycle.h"
#include "harness/track/reference.h"

namespace stepbench::test {
namespace {

using namespace std::chrono_literals;

std::string utc_of_night(std::size_t night, std::chrono::minutes later = 0min) {
  return text::utc_text(*text::parse_utc("2026-01-01T02:00:00Z") + 24h * static_cast<int>(night) +
                        later);
}

std::string hex_of_night(std::size_t night) {
  std::string text = std::to_string(night);
  return std::string(4 - text.size(), '0') + text + "c0ffee00";
}

}  // namespace

HistoryMaker::HistoryMaker() {
  history.cohorts = {{.id = "c1", .fields = {{"gpu.driver", std::string("550.1")}}}};
}

Nightly HistoryMaker::steady(std::size_t count, double level) {
  constexpr std::array kNoise = {0.1, -0.4, 0.3, 0.0,  -0.2, 0.5, -0.5,
                                 0.2, -0.1, 0.4, -0.3, 0.1,  0.0, -0.4};
  Nightly values;
  for (std::size_t i = 0; i < count; ++i) {
    values.emplace_back(level * (1 + kNoise[i % kNoise.size()] / 100));
  }
  return values;
}

std::string HistoryMaker::run_id(std::size_t night, const std::string& experiment) {
  return utc_of_night(night).substr(0, 10) + '-' + experiment;
}

std::size_t HistoryMaker::run_index(std::size_t night, const std::string& experiment) {
  const std::string id = run_id(night, experiment);
  const auto known = std::find_if(history.runs.begin(), history.runs.end(),
                                  [&](const track::TrackedRun& each) { return each.run_id == id; });
  if (known != history.runs.end()) {
    return static_cast<std::size_t>(known - history.runs.begin());
  }
  track::TrackedRun fresh{.run_id = id,
                          .started_utc = utc_of_night(night, experiment == "train" ? 0min : 30min),
                          .experiment = experiment,
                          .host = "box",
                          .build_id = "b" + hex_of_night(night),
                          .git_sha = hex_of_night(night) + "5ha",
                          .plan_digest = "plan"};
  const auto place = std::upper_bound(history.runs.begin(), history.runs.end(), fresh,
                                      [](const track::TrackedRun& a, const track::TrackedRun& b) {
                                        return a.started_utc < b.started_utc;
                                      });
  const auto index = static_cast<std::size_t>(place - history.runs.begin());
  history.runs.insert(place, std::move(fresh));
  for (track::SeriesHistory& series : history.series) {
    for (track::TrackedPoint& each : series.points) each.run += each.run >= index ? 1 : 0;
  }
  return index;
}

track::TrackedSeries& HistoryMaker::add_series(const std::string& case_id, const Nightly& values,
                                               const std::string& experiment) {
  track::SeriesHistory series{.series = {.id = case_id,
                                         .experiment = experiment,
                                         .workload = "train_step",
                                         .case_id = case_id,
                                         .metric = "step_ns",
                                         .unit = "ns",
                                         .direction = Direction::kLowerIsBetter,
                                         .screened = true,
                                         .options = {{"loader.num_workers", case_id}}}};
  for (std::size_t night = 0; night < values.size(); ++night) (void)run_index(night, experiment);
  for (std::size_t night = 0; night < values.size(); ++night) {
    if (!values[night]) continue;
    series.points.push_back({.run = run_index(night, experiment),
                             .value = *values[night],
                             .low = *values[night],
                             .high = *values[night],
                             .launches = 5,
                             .steps = 50,
                             .cohort = "c1"});
  }
  return history.series.emplace_back(std::move(series)).series;
}

track::TrackedRun& HistoryMaker::run(std::size_t night, const std::string& experiment) {
  return history.runs[run_index(night, experiment)];
}

track::TrackedPoint& HistoryMaker::point(const std::string& case_id, std::size_t night) {
  for (track::SeriesHistory& series : history.series) {
    if (series.series.case_id != case_id) continue;
    for (track::TrackedPoint& each : series.points) {
      if (history.runs[each.run].run_id == run_id(night, series.series.experiment)) return each;
    }
  }
  throw std::runtime_error("no such point");
}

void HistoryMaker::set_control(const Nightly& values) {
  for (track::SeriesHistory& series : history.series) {
    for (track::TrackedPoint& each : series.points) {
      for (std::size_t night = 0; night < values.size(); ++night) {
        if (history.runs[each.run].run_id == run_id(night, series.series.experiment)) {
          each.control = values[night];
        }
      }
    }
  }
  add_series("control", values).control = true;
}

void HistoryMaker::set_cohort_from(std::size_t night, const std::string& driver) {
  history.cohorts.push_back({.id = driver, .fields = {{"gpu.driver", driver}}});
  for (track::SeriesHistory& series : history.series) {
    for (track::TrackedPoint& each : series.points) {
      if (history.runs[each.run].started_utc >= utc_of_night(night)) each.cohort = driver;
    }
  }
}

track::History HistoryMaker::known_at(std::size_t night) const {
  // What lies later is not known yet.
  track::History known = history;
  const std::string end = utc_of_night(night, 12h);
  std::erase_if(known.runs, [&](const track::TrackedRun& each) { return each.started_utc > end; });
  for (track::SeriesHistory& series : known.series) {
    std::erase_if(series.points,
                  [&](const track::TrackedPoint& each) { return each.run >= known.runs.size(); });
  }
  return known;
}

track::NightInput HistoryMaker::input_of(std::size_t night, const track::History& known,
                                         bool allow_inconclusive) const {
  const std::string now = now_utc.empty() ? utc_of_night(night, 12h) : now_utc;
  return {
      .history = known,
      .runs = known.runs,
      .tonight = track::tonights_runs(known.runs, "box", now),
      .events = events,
      .screen = screen,
      .now_utc = now,
      .allow_inconclusive = allow_inconclusive,
      .allow_known = allow_known,
      .has_program = [this](const track::TrackedRun& run) { return !gone.contains(run.run_id); }};
}

track::Night HistoryMaker::look(std::size_t night, bool allow_inconclusive) const {
  const track::History known = known_at(night);
  return track::judge_night(input_of(night, known, allow_inconclusive));
}

track::Night HistoryMaker::judge(std::size_t night) {
  const track::Night first = look(night);
  events.insert(events.end(), first.events.begin(), first.events.end());
  return look(night);
}

track::TrackedSeries& HistoryMaker::add_programs(const std::string& case_id,
                                                 const std::vector<double>& factors,
                                                 const std::string& experiment) {
  Nightly values = steady(factors.size());
  for (std::size_t night = 0; night < factors.size(); ++night) {
    *values[night] *= factors[night];
    factors_[{case_id, run_id(night, experiment)}] = factors[night];
  }
  return add_series(case_id, values, experiment);
}

void HistoryMaker::measure_beside_reference(const track::History& known, const std::string& run) {
  const auto tonight =
      std::find_if(known.runs.begin(), known.runs.end(),
                   [&](const track::TrackedRun& each) { return each.run_id == run; });
  const auto before =
      std::span(known.runs).first(static_cast<std::size_t>(tonight - known.runs.begin()));
  const std::string of = track::reference_run(
      before, events, tonight->host, tonight->experiment,
      [&](const track::TrackedRun& each) { return !gone.contains(each.run_id); });
  if (of.empty()) return;
  track::ReferenceNight beside{.night = track::night_of(*tonight), .run = of};
  for (const track::TrackedRun& each : known.runs) {
    if (each.run_id == of) beside.build = each.build_id;
  }
  for (const track::SeriesHistory& series : known.series) {
    const auto now = factors_.find({series.series.id, run});
    const auto then = factors_.find({series.series.id, of});
    if (now == factors_.end() || then == factors_.end()) continue;
    // Some tenths of a percent, the same every time.
    const double noise = 0.002 * (static_cast<double>(known.runs.size() * 7 % 5) - 2);
    beside.ratios.push_back({.series = series.series.id,
                             .moved = std::log(now->second / then->second) + noise,
                             .error = 0.003,
                             .pairs = 4,
                             .value = 1e6 * then->second});
  }
  tell(track::event_of(beside));
}

track::Night HistoryMaker::live(std::size_t night) {
  const track::History known = known_at(night);
  if (nightly) {
    for (const std::string& run : input_of(night, known, false).tonight) {
      measure_beside_reference(known, run);
    }
  }
  const auto build_of = [&](const std::string& id) {
    for (const track::TrackedRun& run : known.runs) {
      if (run.run_id == id) return run.build_id;
    }
    return id;
  };
  track::NightCycle cycle;
  cycle.measure = [&](std::span<const track::DueMeasurement> due) {
    std::vector<track::MeasuredSuspect> suspects;
    for (const track::DueMeasurement& one : due) {
      measured_due.push_back(one);
      track::MeasuredSuspect suspect{.series = one.series, .alert = one.alert, .run = one.run};
      const auto tonight = factors_.find({one.series, one.run});
      const auto against = factors_.find({one.series, one.against});
      if (broken.contains(one.against)) {
        suspect.state = track::AlertState::kEnvironmentChange;
        suspect.why = "it does not start";
        if (one.others) suspect.unusable = one.against;
      } else if (answers) {
        suspect.state = *answers;
        suspect.why = "answered by the test";
      } else if (gone.contains(one.against) || against == factors_.end() ||
                 tonight == factors_.end()) {
        suspect.why = "the last good program is gone";
      } else {
        constexpr double kDoubt = 0.003;
        const double change = tonight->second / against->second - 1;
        const bool bridge = one.why == track::DueFor::kBridge;
        const double towards = one.higher ? change : -change;
        suspect.measured = {
            {.reproduced = bridge ? std::abs(change) > 0.012 : towards - kDoubt > one.margin,
             .change = change,
             .low = change - kDoubt,
             .high = change + kDoubt,
             .p = 0.001,
             .pairs = bridge ? 4 : 20,
             .night = one.run,
             .good = one.good,
             .builds = build_of(one.against) + ' ' + build_of(one.run),
             .layout = one.layout_sd,
             .margin = one.margin}};
      }
      suspects.push_back(std::move(suspect));
    }
    return suspects;
  };
  return track::run_night(input_of(night, known, false), events, cycle);
}

void HistoryMaker::measure(const track::Night& night, track::AlertState outcome, double change) {
  std::vector<track::MeasuredSuspect> measured;
  for (const track::NightSeries& series : night.series) {
    if (series.alert.empty()) continue;
    const bool there = outcome == track::AlertState::kReproduced ||
                       outcome == track::AlertState::kRegression ||
                       outcome == track::AlertState::kImprovement;
    // As much as one pair of builds may differ by chance is reproduced and not told.
    constexpr double kTooLittle = 0.02;
    double found = outcome == track::AlertState::kNotReproduced ? 0.0 : std::abs(change);
    if (outcome == track::AlertState::kReproduced) found = std::min(found, kTooLittle);
    if (!series.higher) found = -found;
    std::size_t times = there || outcome == track::AlertState::kNotReproduced ? 2 : 0;
    if (outcome == track::AlertState::kReproduced) times = 1;
    std::vector<track::AlertMeasurement> all;
    for (std::size_t i = 0; i < times; ++i) {
      const std::string good = outcome == track::AlertState::kNotReproduced
                                   ? "good" + std::to_string(i)
                                   : series.last_good;
      all.push_back({.reproduced = there,
                     .change = found,
                     .low = found - 0.005,
                     .high = found + 0.005,
                     .p = 0.001,
                     .pairs = 20,
                     .night = series.run,
                     .good = series.last_good,
                     .builds = good + ' ' + series.run});
    }
    measured.push_back({.series = series.series.id,
                        .alert = series.alert,
                        .run = series.run,
                        .state = outcome,
                        .measured = std::move(all),
                        .why = "measured again"});
  }
  std::vector<track::TrackEvent> fresh = track::events_of(measured, night.alerts, night.runs);
  events.insert(events.end(), fresh.begin(), fresh.end());
}

void HistoryMaker::tell(track::TrackEvent event) { events.push_back(std::move(event)); }

track::Alert HistoryMaker::alert(const std::string& id) const {
  const track::AlertLog log = track::fold_alerts(events);
  const track::Alert* found = log.find(id);
  if (found == nullptr) throw std::runtime_error("no alert " + id);
  return *found;
}

}  // namespace stepbench::test
