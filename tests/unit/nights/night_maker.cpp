// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/nights/night_maker.h"

#include <chrono>

#include "harness/text/time_text.h"

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

std::size_t night_of_run(const nights::TrackedRun& run) {
  const auto since = *text::parse_utc(run.started_utc) - *text::parse_utc("2026-01-01T00:00:00Z");
  return static_cast<std::size_t>(std::chrono::floor<std::chrono::days>(since).count());
}

}  // namespace

NightMaker::NightMaker() {
  history.cohorts = {{.id = "c1", .fields = {{"gpu.driver", std::string("550.1")}}}};
}

Nightly NightMaker::steady(std::size_t count, double level) {
  constexpr std::array kNoise = {0.0, -0.4, 0.3, 0.1,  -0.2, 0.5, -0.5,
                                 0.2, -0.1, 0.4, -0.3, 0.1,  0.0, -0.4};
  Nightly values;
  for (std::size_t i = 0; i < count; ++i) {
    values.emplace_back(level * (1 + kNoise[i % kNoise.size()] / 500));
  }
  return values;
}

Nightly NightMaker::moved_from(std::size_t night, double factor, double level, std::size_t count) {
  Nightly values = steady(count, level);
  for (std::size_t i = night; i < count; ++i) values[i] = *values[i] * factor;
  return values;
}

std::string NightMaker::run_id(std::size_t night, const std::string& experiment) {
  return utc_of_night(night).substr(0, 10) + '-' + experiment;
}

std::size_t NightMaker::run_index(std::size_t night, const std::string& experiment) {
  const std::string id = run_id(night, experiment);
  const auto known = std::ranges::find(history.runs, id, &nights::TrackedRun::run_id);
  if (known != history.runs.end()) return static_cast<std::size_t>(known - history.runs.begin());
  nights::TrackedRun fresh{.run_id = id,
                           .started_utc = utc_of_night(night, experiment == "train" ? 0min : 30min),
                           .experiment = experiment,
                           .host = "box",
                           .folder = "results/" + id,
                           .build_id = "b0" + hex_of_night(night),
                           .git_sha = hex_of_night(night)};
  const auto place = std::ranges::upper_bound(history.runs, fresh.started_utc, {},
                                              &nights::TrackedRun::started_utc);
  const auto index = static_cast<std::size_t>(place - history.runs.begin());
  history.runs.insert(place, std::move(fresh));
  for (nights::SeriesHistory& series : history.series) {
    for (nights::TrackedPoint& each : series.points) each.run += each.run >= index ? 1 : 0;
  }
  return index;
}

nights::TrackedRun& NightMaker::run(std::size_t night, const std::string& experiment) {
  return history.runs.at(run_index(night, experiment));
}

nights::TrackedSeries& NightMaker::add_series(const std::string& case_id, const Nightly& values,
                                              const std::string& experiment) {
  nights::SeriesHistory one{
      .series = {.id = experiment == "train" ? case_id : experiment.substr(0, 1) + case_id,
                 .experiment = experiment,
                 .workload = "train_step",
                 .case_id = case_id,
                 .metric = std::string(nights::kStepSeries),
                 .unit = "ns",
                 .direction = Direction::kLowerIsBetter,
                 .monitored = true,
                 .options = {{"loader.num_workers", Value(case_id)}}}};
  for (std::size_t night = 0; night < values.size(); ++night) (void)run_index(night, experiment);
  for (std::size_t night = 0; night < values.size(); ++night) {
    if (!values[night]) continue;
    one.points.push_back({.run = run_index(night, experiment),
                          .value = *values[night],
                          .low = *values[night],
                          .high = *values[night],
                          .launches = 4,
                          .steps = 50,
                          .cohort = "c1"});
  }
  history.series.push_back(std::move(one));
  return history.series.back().series;
}

void NightMaker::set_cohort_from(std::size_t night, const std::string& driver) {
  history.cohorts.push_back({.id = "c2", .fields = {{"gpu.driver", driver}}});
  for (nights::SeriesHistory& one : history.series) {
    for (nights::TrackedPoint& point : one.points) {
      if (night_of_run(history.runs[point.run]) >= night) point.cohort = "c2";
    }
  }
}

void NightMaker::tell(nights::TrackEvent event) {
  nights::AlertLog log = nights::fold_alerts(events);
  if (!event.alert_id.empty()) nights::apply_event(log, event);
  events.push_back(std::move(event));
}

nights::NightPairs NightMaker::pairs_of(const nights::TrackedRun& run) const {
  const std::size_t night = night_of_run(run);
  const std::string first = run_id(0, run.experiment);
  nights::NightPairs pairs{.night = nights::night_of(run),
                           .build = run.build_id,
                           .reference = "b0" + hex_of_night(0),
                           .reference_run = first,
                           .environment = "c1"};
  if (night == 0) {
    pairs.why = nights::NightReason::kNoReference;
    return pairs;
  }
  constexpr std::array kNoise = {0.6, -0.9, 0.2, 0.1, -0.7, 1.1, -0.5, 0.3};
  for (const nights::SeriesHistory& one : history.series) {
    if (one.series.experiment != run.experiment || one.points.empty()) continue;
    for (const nights::TrackedPoint& point : one.points) {
      if (history.runs[point.run].run_id != run.run_id) continue;
      pairs.environment = point.cohort;
      nights::SeriesPairs series{.series = one.series.id,
                                 .first = nights::kPairs,
                                 .reference = one.points.front().value,
                                 .cause = cause};
      for (std::size_t i = 0; i < nights::kPairs + nights::kMaxPairs; ++i) {
        series.pairs.push_back(std::log(point.value / one.points.front().value) +
                               kNoise[i % kNoise.size()] / 500);
      }
      pairs.series.push_back(std::move(series));
    }
  }
  return pairs;
}

nights::History NightMaker::known_at(std::size_t night) const {
  nights::History known = history;
  for (nights::SeriesHistory& one : known.series) {
    std::erase_if(one.points, [&](const nights::TrackedPoint& point) {
      return night_of_run(history.runs[point.run]) > night;
    });
  }
  return known;
}

nights::Night NightMaker::live(std::size_t night) {
  for (; next_ <= night; ++next_) {
    const nights::History known = known_at(next_);
    std::vector<nights::NightPairs> pairs;
    std::vector<std::string> tonight;
    for (const nights::TrackedRun& run : history.runs) {
      if (night_of_run(run) != next_) continue;
      tonight.push_back(run.run_id);
      pairs.push_back(pairs_of(run));
    }
    const std::string now_utc = utc_of_night(next_, 6h);
    nights::JudgedNight judged = nights::judge_night({.history = known,
                                                      .tonight = tonight,
                                                      .pairs = pairs,
                                                      .events = events,
                                                      .now_utc = now_utc},
                                                     states_);
    for (nights::TrackEvent& event : judged.events) {
      event.at_utc = now_utc;
      event.who = "nightly@box";
      events.push_back(std::move(event));
    }
    for (auto& [id, state] : judged.states) states_[id] = std::move(state);
    last_ = std::move(judged.night);
    for (const nights::NightSeries& series : last_.series) {
      if (series.run.empty()) continue;
      std::optional<double> ratio;
      if (series.value && series.reference && !series.as_share)
        ratio = *series.value / *series.reference;
      judged_[series.series.id].push_back({.run = series.run,
                                           .state = series.state,
                                           .ratio = ratio,
                                           .change = series.change,
                                           .low = series.low,
                                           .high = series.high,
                                           .reported = series.reported.has_value(),
                                           .alert = series.alert});
    }
  }
  return last_;
}

report::ShownNight NightMaker::shown() const {
  return {.night = last_, .history = history, .moved = known_at(next_ - 1), .judged = judged_};
}

nights::Alert NightMaker::alert(const std::string& id) const {
  const nights::AlertLog log = nights::fold_alerts(events);
  const nights::Alert* found = log.find(id);
  if (found == nullptr) throw std::runtime_error("no alert " + id);
  return *found;
}

const std::vector<nights::JudgedRow>& NightMaker::judged(const std::string& series) const {
  return judged_.at(series);
}

}  // namespace stepbench::test
