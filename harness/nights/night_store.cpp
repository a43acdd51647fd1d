// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/night_store.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/json/line_object.h"
#include "harness/nights/acts.h"
#include "harness/nights/fields.h"
#include "harness/nights/internal/judge_night.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::nights {
namespace {

constexpr std::size_t kPointsJudged = 8;  // tonight's and recent ones
constexpr std::size_t kNightsBack = 8;    // nights examined for failures of the reference

// False for a state from before its builds were one text.
bool is_current(const StateRow& row) { return row.state.find("\"builds\":") != std::string::npos; }

// Makes states of the former form anew. One that no stored night gives keeps it, and is ignored.
std::vector<StateRow> current_rows(TrackStore& store, const std::string& host,
                                   const std::string& experiment) {
  std::vector<StateRow> rows = store.states(host, experiment);
  if (rows.empty() || std::ranges::any_of(rows, is_current)) return rows;
  if (rebuild(store, host) == 0) return rows;
  return store.states(host, experiment);
}

SeriesStates states_of(const std::vector<StateRow>& rows) {
  SeriesStates states;
  json::LineParser parser;  // keeps its memory between rows
  for (const StateRow& row : rows) {
    if (!is_current(row)) continue;
    SeriesState& state = states[row.series];
    state =
        json::read<SeriesState>(parser.parse(row.state, json::LineParser::Padding::kNone).object);
    state.series = row.series;
  }
  return states;
}

NightRows rows_of(const JudgedNight& judged, const std::vector<NightPairs>& pairs) {
  NightRows rows;
  std::map<std::string, const NightSeries*> tonight;
  std::map<std::string_view, std::map<std::string_view, const SeriesPairs*>> measured;  // by run
  for (const NightPairs& night : pairs) measured.emplace(night.night.run, night.by_series());
  for (const NightSeries& series : judged.night.series) {
    tonight.emplace(series.series.id, &series);
    if (series.why == NightReason::kValues || series.run.empty()) continue;
    JudgedRow row{.run = series.run,
                  .series = series.series.id,
                  .state = series.state,
                  .change = series.change,
                  .low = series.low,
                  .high = series.high,
                  .reported = series.reported.has_value(),
                  .alert = series.alert};
    const auto& of_run = measured[row.run];
    const auto of = of_run.find(row.series);
    if (of != of_run.end() && !of->second->as_share && !of->second->pairs.empty())
      row.ratio = std::exp(stats::median(of->second->pairs));
    rows.judged.push_back(std::move(row));
  }
  for (const auto& [id, state] : judged.states) {
    const auto series = tonight.find(id);
    if (series == tonight.end()) continue;
    const auto of = std::ranges::find_if(judged.night.experiments, [&](const NightExperiment& one) {
      return one.run.experiment == series->second->series.experiment;
    });
    if (of == judged.night.experiments.end()) continue;
    rows.states.push_back({.host = of->run.host,
                           .experiment = of->run.experiment,
                           .series = id,
                           .run = of->run.run_id,
                           .state = json::object_text(state),
                           .night = json::object_text(*series->second)});
  }
  return rows;
}

// The night as it was judged, with user actions since, without what later nights reported.
Night shown_again(std::vector<NightSeries> series, const std::vector<TrackedRun>& runs,
                  std::span<const TrackEvent> events, const ExitRules& rules) {
  Night night{.series = std::move(series), .alerts = fold_alerts(events), .known = true};
  std::string last;
  for (const TrackedRun& run : runs) {
    night.experiments.push_back({.run = run});
    last = std::max(last, run.started_utc);
  }
  std::erase_if(night.alerts.alerts, [&](const Alert& alert) { return alert.opened_utc > last; });
  for (NightSeries& one : night.series) show_alert(one, night.alerts, night);
  for (const Alert& alert : night.alerts.alerts) {
    const bool news = std::ranges::any_of(runs, [&](const TrackedRun& run) {
      return alert.host == run.host && alert.news_utc >= run.started_utc &&
             alert.experiment == run.experiment;
    });
    if (news && alert.state == AlertState::kOpen) night.reported.push_back(alert.id);
  }
  add_absent(night);
  end_of(night, rules);
  return night;
}

// Judges nights one after another from the history's data.
class NightRecorder {
 public:
  NightRecorder(const NightRequest& request, TrackStore& store)
      : request_(request), store_(store), all_(store.runs()) {
    for (const std::string& id : request.runs) {
      const TrackedRun* run = nights::find_run(all_, id);
      if (run == nullptr) throw ConfigError("--night", "the history has no run '" + id + "'");
      runs_.push_back(*run);
    }
  }

  StoredNight judge() {
    if (runs_.empty()) return {};
    for (const TrackedRun& run : runs_) {
      std::vector<StateRow> rows = current_rows(store_, run.host, run.experiment);
      if (rows.empty() && rebuild(store_, run.host) > 0)
        rows = store_.states(run.host, run.experiment);
      rows_.insert(rows_.end(), std::make_move_iterator(rows.begin()),
                   std::make_move_iterator(rows.end()));
    }
    HistoryQuery query{.host = runs_.front().host, .last = kPointsJudged};
    for (const TrackedRun& run : runs_) query.experiments.push_back(run.experiment);
    StoredNight stored{.history = store_.history(query)};
    const std::vector<TrackEvent> statements = store_.events(WhichEvents::kStatements);
    if (was_judged()) {
      stored.night = recorded_night(stored.history, statements);
      return stored;
    }
    NightInput input{.history = stored.history,
                     .tonight = request_.runs,
                     .pairs = request_.pairs,
                     .events = statements,
                     .now_utc = request_.now_utc,
                     .exit = request_.exit};
    JudgedNight judged = judge_night(input, states_of(rows_));
    record(judged);
    stored.night = std::move(judged.night);
    return stored;
  }

 private:
  // True if these nights, or later ones of the same experiments, were judged.
  [[nodiscard]] bool was_judged() const {
    if (rows_.empty()) return false;
    std::map<std::string, std::string> last;  // newest judged run by experiment
    for (const StateRow& row : rows_)
      last[row.experiment] = std::max(last[row.experiment], row.run);
    bool any = false;
    for (const TrackedRun& run : runs_) {
      const auto known = last.find(run.experiment);
      if (known == last.end()) continue;
      any = any || known->second == run.run_id || is_later(known->second, run);
    }
    return any;
  }
  [[nodiscard]] bool is_later(const std::string& id, const TrackedRun& run) const {
    const TrackedRun* other = nights::find_run(all_, id);
    return other != nullptr && other->started_utc > run.started_utc;
  }

  Night recorded_night(const History& history, std::span<const TrackEvent> statements) {
    std::vector<NightSeries> series;
    bool newest = true;
    for (const TrackedRun& run : runs_) {
      bool last = false;
      for (const StateRow& row : rows_) {
        if (row.experiment != run.experiment || row.run != run.run_id) continue;
        last = true;
        series.push_back(json::read_text<NightSeries>(row.night));
      }
      if (last) continue;
      newest = false;
      for (NightSeries& one : of_run(history, run)) series.push_back(std::move(one));
    }
    Night night = shown_again(std::move(series), runs_, statements, request_.exit);
    night.is_newest = newest;
    if (!newest) {
      night.notes.emplace_back(
          "a later night was judged before: alerts are shown as they are now, and nothing new is "
          "recorded");
    }
    return night;
  }

  // An older night, for which the history keeps a row per series.
  std::vector<NightSeries> of_run(const History& history, const TrackedRun& run) {
    std::vector<NightSeries> series;
    for (const JudgedRow& row : store_.judged_run(run.run_id)) {
      const SeriesHistory* known = history.find_series(row.series);
      if (known == nullptr) continue;
      NightSeries& one = series.emplace_back();
      one.series = known->series;
      one.state = row.state;
      one.value = row.value;
      one.run = row.run;
      one.change = row.change;
      one.low = row.low;
      one.high = row.high;
      one.alert = row.alert;
      if (!row.change) continue;
      one.as_share = !row.ratio;  // a share has no ratio
      one.worse = (*row.change > 0) == (known->series.direction == Direction::kLowerIsBetter);
      if (!one.value || one.as_share) continue;
      one.usual = *one.value / (1 + *row.change);
      one.reference = *one.value / *row.ratio;
    }
    return series;
  }

  // Records the night atomically.
  void record(JudgedNight& judged) {
    std::vector<TrackEvent> events;
    for (const NightPairs& night : request_.pairs) {
      // A night dated in the future was not judged and does not count for the level.
      if (!is_future(night.night.utc, request_.now_utc)) events.push_back(event_of(night));
    }
    events.insert(events.end(), judged.events.begin(), judged.events.end());
    for (TrackEvent& event : events) {
      event.at_utc = request_.now_utc;
      event.who = request_.who;
    }
    store_.record(events, rows_of(judged, request_.pairs));
  }

  const NightRequest& request_;
  TrackStore& store_;
  std::vector<TrackedRun> all_;
  std::vector<TrackedRun> runs_ = {};  // tonight's runs
  std::vector<StateRow> rows_ = {};
};

// Rejudges all nights of an experiment.
class Replay {
 public:
  Replay(TrackStore& store, const std::string& host, const std::string& experiment)
      : history_(store.history({.experiments = {experiment}, .host = host})) {}

  void take(const TrackEvent& event, std::span<const TrackEvent> statements) {
    const std::vector<NightPairs> pairs = {night_pairs(event)};
    if (history_.find_run(pairs.front().night.run) == nullptr) return;
    JudgedNight judged = judge_night({.history = history_,
                                      .tonight = {pairs.front().night.run},
                                      .pairs = pairs,
                                      .events = statements,
                                      .rejudging = true},
                                     std::move(states_));
    ++nights_;
    NightRows rows = rows_of(judged, pairs);
    std::ranges::move(rows.judged, std::back_inserter(rows_.judged));
    for (StateRow& row : rows.states) last_[row.series] = std::move(row);
    states_ = std::move(judged.states);
  }

  std::size_t end(TrackStore& store) {
    for (auto& [series, row] : last_) rows_.states.push_back(std::move(row));
    store.record({}, rows_);
    return nights_;
  }

 private:
  History history_;
  SeriesStates states_ = {};
  NightRows rows_ = {};
  std::map<std::string, StateRow> last_ = {};
  std::size_t nights_ = 0;
};

}  // namespace

SeriesStates load_states(TrackStore& store, std::string_view host, std::string_view experiment) {
  return states_of(current_rows(store, std::string(host), std::string(experiment)));
}

std::optional<double> learnt_layout(TrackStore& store, const Alert& alert,
                                    std::string_view series) {
  constexpr std::size_t kBuilds = 20;  // the assumed layout counts as this many builds
  for (const StateRow& row : current_rows(store, alert.host, alert.experiment)) {
    if (row.series != series) continue;
    const auto night = json::read_text<NightSeries>(row.night);
    const auto state = json::read_text<SeriesState>(row.state);
    if (state.rows.size() > kBuilds && night.layout > 0) return night.layout;
  }
  return std::nullopt;
}

StoredReference stored_reference(TrackStore& store, std::string_view host,
                                 std::string_view experiment) {
  const std::vector<TrackEvent> events =
      store.measured_nights(std::string(host), std::string(experiment), kNightsBack);
  if (events.empty()) return {.why = NightReason::kNoReference};
  const NightPairs last = night_pairs(events.front());
  StoredReference next_reference{.build = last.reference,
                                 .run = last.reference_run,
                                 .environment = last.environment,
                                 .unfinished = last.unfinished};
  for (const TrackEvent& event : events) {
    const NightPairs night = night_pairs(event);
    if (night.why != NightReason::kReferenceFails || night.begins_reference()) break;
    ++next_reference.failed_nights;
  }
  for (const TrackEvent& event : store.events(WhichEvents::kStatements)) {
    if (event.what != kBaselineEvent || !event.alert_id.empty()) continue;
    if (text_of(event.details, "host") != host ||
        text_of(event.details, "experiment") != experiment)
      continue;
    const bool taken = last.why == NightReason::kBaseline && last.begins_reference() &&
                       event.at_utc == events.front().at_utc;
    if (event.at_utc >= events.front().at_utc && !taken)
      next_reference = {.why = NightReason::kBaseline};
  }
  return next_reference;
}

StoredNight judge_and_record(const NightRequest& request, TrackStore& store) {
  return NightRecorder(request, store).judge();
}

std::size_t rebuild(TrackStore& store, std::string_view host) {
  std::map<std::string, Replay> experiments;
  std::vector<TrackEvent> statements;
  for (const TrackEvent& event : store.events()) {
    if (!is_pairs_event(event)) {
      statements.push_back(event);
      continue;
    }
    if (text_of(event.details, "host") != host) continue;
    const std::string name = text_of(event.details, "experiment");
    auto known = experiments.find(name);
    if (known == experiments.end())
      known = experiments.emplace(name, Replay(store, std::string(host), name)).first;
    known->second.take(event, statements);
  }
  std::size_t nights = 0;
  for (auto& [name, replay] : experiments) nights += replay.end(store);
  return nights;
}

}  // namespace stepbench::nights
