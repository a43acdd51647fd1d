// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/judge_night.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/nights/acts.h"
#include "harness/nights/history.h"
#include "harness/text/words.h"

namespace stepbench::nights {
namespace {

constexpr std::size_t kDateSize = 10;

// A series in tonight's run of its experiment.
struct Place {
  const SeriesHistory& series;
  const TrackedRun& run;
  const NightPairs* night = nullptr;    // null: only values
  const SeriesPairs* pairs = nullptr;   // null: no pairs of this series
  const TrackedPoint* point = nullptr;  // null: no value tonight
};

class NightJudge {
 public:
  NightJudge(const NightInput& input, SeriesStates states) : input_(input) {
    result_.states = std::move(states);
    result_.night.alerts = fold_alerts(input.events);
    for (std::size_t i = 0; i < input.history.runs.size(); ++i)
      places_.emplace(input.history.runs[i].run_id, i);
  }

  JudgedNight judge() {
    for (const std::string& id : input_.tonight) {
      if (const TrackedRun* run = input_.history.find_run(id)) judge_run(*run);
    }
    join_alerts();
    close_alerts();
    Night& night = result_.night;
    for (NightSeries& series : night.series) show_alert(series, night.alerts, night);
    add_absent(night);
    if (missing_series_ > 0) {
      night.notes.push_back(text::counted(static_cast<std::int64_t>(missing_series_), "series") +
                            (missing_series_ == 1 ? " is" : " are") +
                            " not in tonight's plan any more");
    }
    for (std::string& note : nights::new_series_notes(input_.history, input_.tonight))
      night.notes.push_back(std::move(note));
    end_of(night, input_.exit);
    return std::move(result_);
  }

 private:
  void judge_run(const TrackedRun& run) {
    const auto found = std::ranges::find(input_.pairs, run.run_id,
                                         [](const NightPairs& one) { return one.night.run; });
    const NightPairs* pairs = found == input_.pairs.end() ? nullptr : &*found;
    NightExperiment& experiment = result_.night.experiments.emplace_back();
    experiment.run = run;
    if (pairs != nullptr) {
      experiment.pairs = *pairs;
      experiment.pairs.series.clear();
      for (const std::string& note : pairs->notes) result_.night.notes.push_back(note);
    }
    expire_acceptances(run);
    const RunMargins margins(run);
    const std::string today = run.started_utc.substr(0, kDateSize);
    std::map<std::string_view, const SeriesPairs*> measured;
    if (pairs != nullptr) measured = pairs->by_series();
    ignored_ = ignored_series(input_.events, today);
    const std::size_t place_of_run = place_of(run.run_id) - 1;
    for (const SeriesHistory& series : input_.history.series) {
      if (!series.series.monitored || series.series.experiment != run.experiment) continue;
      if (series.points.empty()) continue;
      Place place{.series = series, .run = run, .night = pairs};
      for (const TrackedPoint& point : series.points) {
        if (point.run == place_of_run) place.point = &point;
      }
      if (place.point == nullptr) {
        const TrackedRun& last = input_.history.runs.at(series.points.back().run);
        if (last.host != run.host || nights::is_imported(last)) continue;
        if (last.plan_digest != run.plan_digest) {
          missing_series_ += 1;
          continue;
        }
      }
      if (const auto of = measured.find(series.series.id); of != measured.end())
        place.pairs = of->second;
      result_.night.series.push_back(judge_series(place, margins.of(series.series), experiment));
    }
  }

  NightSeries judge_series(const Place& place, double margin, NightExperiment& experiment) {
    const std::string& id = place.series.series.id;
    NightSeries night{.series = place.series.series, .margin = margin};
    if (place.point != nullptr) {
      night.run = place.run.run_id;
      night.value = place.point->value;
    }
    if (place.series.series.control)
      return unjudged(std::move(night), NightState::kOk, NightReason::kControl);
    if (place.night == nullptr) {
      return place.point == nullptr
                 ? unjudged(std::move(night), NightState::kNoData, NightReason::kNoValue)
                 : unjudged(std::move(night), NightState::kNoVerdict, NightReason::kValues);
    }
    if (is_future(place.run.started_utc, input_.now_utc))
      return unjudged(std::move(night), NightState::kNoData, NightReason::kFuture);
    SeriesState& state = result_.states[id];
    state.series = id;
    apply_alert(state, place);
    const Tonight tonight{.run = place.run.run_id,
                          .run_utc = place.run.started_utc,
                          .build = build_of(place),
                          .reference = place.night->reference,
                          .reference_run = place.night->reference_run,
                          .environment = place.night->environment};
    note_environment_change(state, place, experiment);
    const bool could_be_measured = state.open && state.open->can_be_measured;
    const std::size_t judged_series =
        place.night->judged > 0 ? place.night->judged : place.night->series.size();
    const JudgeRule rule = rule_of(place.series.series, margin, judged_series);
    const SeriesPairs none{.series = id, .as_share = state.as_share};
    const SeriesPairs& pairs = place.pairs == nullptr ? none : *place.pairs;
    const SeriesVerdict judged = nights::judge(state, tonight, pairs, rule);
    if (could_be_measured && state.open && !state.open->can_be_measured) record_unreachable(place);
    if (place.pairs == nullptr || judged.state == NightState::kNoData)
      return without_pairs(std::move(night), place);
    if (ignored_.contains(id))
      return unjudged(std::move(night), NightState::kOk, NightReason::kIgnored);
    copy_verdict(night, judged, pairs, rule);
    if (std::ranges::find(place.night->unfinished, id) != place.night->unfinished.end() &&
        night.state == NightState::kSuspect) {
      night.why = place.night->why == NightReason::kInterrupted ? NightReason::kInterrupted
                                                                : NightReason::kBudget;
    }
    note_news(night, place, pairs);
    return night;
  }

  // Older versions did not record it with the pairs.
  static std::string build_of(const Place& place) {
    if (!place.night->build.empty()) return place.night->build;
    return place.run.build_id.empty() ? place.run.run_id : place.run.build_id;
  }

  static NightSeries unjudged(NightSeries night, NightState state, NightReason why) {
    night.state = state;
    night.why = why;
    return night;
  }

  static NightSeries without_pairs(NightSeries night, const Place& place) {
    const NightPairs& of = *place.night;
    if (of.why == NightReason::kSameProgram)
      return unjudged(std::move(night), NightState::kOk, NightReason::kSameProgram);
    if (of.begins_reference() || of.why == NightReason::kCannotStore)
      return unjudged(std::move(night), NightState::kNoVerdict, of.why);
    if (place.point == nullptr)
      return unjudged(std::move(night), NightState::kNoData, NightReason::kNoValue);
    return unjudged(std::move(night), NightState::kNoData,
                    of.why == NightReason::kMeasured ? NightReason::kReferenceFails : of.why);
  }

  static void copy_verdict(NightSeries& night, const SeriesVerdict& judged,
                           const SeriesPairs& pairs, const JudgeRule& rule) {
    night.state = judged.state;
    night.as_share = pairs.as_share;
    night.reference = pairs.reference;
    night.reported = judged.reported;
    night.grew = judged.grew;
    night.fixed = judged.fixed;
    night.pairs = judged.pairs;
    night.builds = judged.builds;
    night.layout = judged.layout;
    night.spread = judged.spread;
    night.noisy = is_noisy(judged.spread);
    if (judged.state == NightState::kSuspect) night.why = NightReason::kOneBuild;
    if (judged.state == NightState::kNoVerdict) night.why = NightReason::kFirstBuild;
    if (!judged.change) return;
    const double sign = rule.larger_is_better ? -1 : 1;
    night.worse = *judged.change > 0;
    night.change = relative_change(sign * *judged.change, pairs.as_share);
    night.low = relative_change(sign * (sign > 0 ? judged.low : judged.high), pairs.as_share);
    night.high = relative_change(sign * (sign > 0 ? judged.high : judged.low), pairs.as_share);
    if (night.value && !pairs.as_share) night.usual = *night.value / (1 + *night.change);
  }

  // Applies user actions since the last night, and changes of the reference.
  void apply_alert(SeriesState& state, const Place& place) {
    const Alert* alert = alert_of(place);
    if (!state.open && alert != nullptr && alert->state == AlertState::kOpen) {
      const AlertSeries& known = *alert->find(state.series);
      if (input_.rejudging) return;  // the night that reported it may still follow in this replay
      state.open =
          OpenChange{.alert = alert->id, .size = known.change.size, .can_be_measured = false};
      if (known.can_be_measured) record_unreachable(place);
      return;
    }
    if (!state.open) return;
    if (alert != nullptr) state.open->alert = alert->id;
    if (is_over(alert) && (alert != nullptr || !input_.rejudging)) accept(state);
  }

  // True if a later change does not belong to this alert.
  static bool is_over(const Alert* alert) {
    return alert == nullptr ||
           (alert->state == AlertState::kAccepted && alert->until.empty() && !alert->expect);
  }

  const Alert* alert_of(const Place& place) const {
    return result_.night.alerts.of_series(place.series.series.id, place.run.host,
                                          place.run.experiment);
  }

  void note_environment_change(const SeriesState& state, const Place& place,
                               NightExperiment& experiment) {
    const std::string& tonight = place.night->environment;
    if (state.environment.empty() || tonight.empty() || state.environment == tonight) return;
    if (experiment.environment.empty()) {
      for (const FieldSplit& split :
           nights::cohort_splits(input_.history, state.environment, tonight))
        experiment.environment.push_back({place.run.experiment, split.field, split.a, split.b});
    }
    if (place.pairs == nullptr || state.reference != place.night->reference) return;
    if (!(state.reference_value > 0) || !(place.pairs->reference > 0)) return;
    experiment.reference_moved.push_back(
        {state.series, place.pairs->reference / state.reference_value - 1});
  }

  void record_unreachable(const Place& place) {
    const Alert* alert = alert_of(place);
    if (alert == nullptr) return;
    add({.what = AlertEvent::kUnreachable,
         .alert = alert->id,
         .series = {.id = place.series.series.id},
         .night = nights::night_of(place.run),
         .reason = "the level before cannot be measured any more"});
  }

  // Reopens alerts whose acceptance has expired.
  void expire_acceptances(const TrackedRun& run) {
    std::vector<TrackEvent> expired;
    for (const Alert& alert : result_.night.alerts.alerts) {
      if (alert.state != AlertState::kAccepted || alert.until.empty()) continue;
      if (alert.host != run.host || alert.experiment != run.experiment) continue;
      if (run.started_utc.substr(0, kDateSize) <= alert.until) continue;
      expired.push_back(event_of(AlertEvent::kReopened, alert.id, nights::night_of(run),
                                 "it was accepted until " + alert.until));
    }
    for (TrackEvent& event : expired) add(std::move(event));
  }

  void note_news(NightSeries& night, const Place& place, const SeriesPairs& pairs) {
    SeriesState& state = result_.states.at(night.series.id);
    const Alert* alert = alert_of(place);
    AlertSeries series{.id = night.series.id,
                       .experiment = night.series.experiment,
                       .as_share = night.as_share,
                       .usual = night.usual.value_or(0),
                       .value = night.value.value_or(0),
                       .reported_run = night.run,
                       .cause = pairs.cause};
    if (night.fixed && alert != nullptr) {
      night.alert = alert->id;
      backs_.insert(alert->id);
      add({.what = AlertEvent::kRecovered,
           .alert = alert->id,
           .series = series,
           .night = nights::night_of(place.run)});
    }
    if (!night.reported || night.reported->size <= 0) return;
    series.change = *night.reported;
    if (is_over(alert)) {
      news_.push_back({.series = series, .night = nights::night_of(place.run)});
      return;
    }
    // An alert accepted up to a size is reopened beyond it.
    const bool beyond = alert->state == AlertState::kAccepted && alert->expect &&
                        relative_change(state.open->size, night.as_share) > *alert->expect;
    if (beyond)
      add(event_of(AlertEvent::kReopened, alert->id, nights::night_of(place.run),
                   "it grew beyond what was accepted"));
    add({.what = AlertEvent::kGrew,
         .alert = alert->id,
         .series = series,
         .night = nights::night_of(place.run)});
  }

  // Position of a run in time order; an unknown run counts as earlier than all.
  [[nodiscard]] std::size_t place_of(const std::string& run) const {
    const auto found = places_.find(run);
    return found == places_.end() ? 0 : found->second + 1;
  }

  // Changes reported tonight that may come from one build share an alert. A later change joins an
  // alert if its likeliest build is in the alert's range.
  [[nodiscard]] std::string joined(const SeriesEvent& news) const {
    const Change& change = news.series.change;
    const std::size_t good = place_of(change.good);
    const std::size_t bad = place_of(change.bad);
    const std::size_t likely = place_of(change.likely);
    for (const Alert& alert : result_.night.alerts.alerts) {
      if (alert.state != AlertState::kOpen || alert.host != news.night.host ||
          alert.experiment != news.night.experiment)
        continue;
      const std::size_t from = place_of(alert.last_good);
      const std::size_t to = place_of(alert.first_bad);
      const bool overlap = good < to && from < bad;
      if (alert.opened_run == news.night.run ? overlap : from < likely && likely <= to)
        return alert.id;
    }
    return next_alert_id(result_.night.alerts);
  }

  void join_alerts() {
    for (SeriesEvent& news : news_) {
      news.alert = joined(news);
      const auto night = std::ranges::find(result_.night.series, news.series.id,
                                           [](const NightSeries& one) { return one.series.id; });
      night->alert = news.alert;
      SeriesState& state = result_.states.at(news.series.id);
      if (state.open) state.open->alert = news.alert;
      add(news);
    }
  }

  // An alert is fixed when all of its series returned.
  void close_alerts() {
    for (const std::string& id : backs_) {
      const Alert* alert = result_.night.alerts.find(id);
      if (!std::ranges::all_of(alert->series, &AlertSeries::back)) continue;
      const TrackedRun& run = result_.night.experiments.front().run;
      add(event_of(AlertEvent::kFixed, id,
                   {.run = run.run_id,
                    .utc = run.started_utc,
                    .host = alert->host,
                    .experiment = alert->experiment},
                   "measured, and gone"));
    }
  }

  void add(const SeriesEvent& event) { add(event_of(event)); }
  void add(TrackEvent event) {
    apply_event(result_.night.alerts, event);
    if (event.what != name_of(AlertEvent::kRecovered) &&
        event.to_state == name_of(AlertState::kOpen) &&
        std::ranges::find(result_.night.reported, event.alert_id) == result_.night.reported.end())
      result_.night.reported.push_back(event.alert_id);
    result_.events.push_back(std::move(event));
  }

  const NightInput& input_;
  JudgedNight result_ = {};
  std::map<std::string, std::size_t, std::less<>> places_ = {};  // position of each run
  std::set<std::string, std::less<>> ignored_ = {};
  std::set<std::string> backs_ = {};    // alerts with a series that returned tonight
  std::vector<SeriesEvent> news_ = {};  // reported tonight, not assigned to an alert yet
  std::size_t missing_series_ = 0;
};

}  // namespace

JudgedNight judge_night(const NightInput& input, SeriesStates states) {
  return NightJudge(input, std::move(states)).judge();
}

}  // namespace stepbench::nights
