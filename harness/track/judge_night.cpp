// SPDX-License-Identifier: Apache-2.0
#include "harness/track/night.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "harness/stats/order.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/track/bridge.h"
#include "harness/track/last_good.h"
#include "harness/track/level.h"
#include "harness/track/night_alerts.h"
#include "harness/track/one_sided.h"

namespace stepbench::track {
namespace {

NightState night_state_of(AlertState state) {
  switch (state) {
    case AlertState::kSuspect:
      return NightState::kSuspect;
    case AlertState::kNotReproduced:
      return NightState::kNotReproduced;
    case AlertState::kReproduced:
      return NightState::kReproduced;
    case AlertState::kRegression:
      return NightState::kRegression;
    case AlertState::kImprovement:
      return NightState::kImprovement;
    case AlertState::kEnvironmentChange:
      return NightState::kEnvironmentChange;
    case AlertState::kAcknowledged:
      return NightState::kAcknowledged;
    case AlertState::kFixed:
      return NightState::kFixed;
    case AlertState::kInvalid:
      return NightState::kInvalid;
    case AlertState::kDoubtful:
      return NightState::kDoubtful;
    case AlertState::kUnmeasured:
      return NightState::kUnmeasured;
  }
  return NightState::kInvalid;
}

// Of one series, whatever the others of its alert are.
NightState night_state_of(const Alert& alert, const AlertSeries& series) {
  switch (series.telling()) {
    case Telling::kDismissed:
      return NightState::kNotReproduced;
    case Telling::kUnmeasured:
      return alert.is_undecided(series) && alert.state != AlertState::kInvalid
                 ? NightState::kSuspect
                 : night_state_of(alert.state);
    case Telling::kDoubtful:
      return alert.is_undecided(series) ? NightState::kDoubtful : night_state_of(alert.state);
    case Telling::kReproduced:
      return alert.is_undecided(series) ? NightState::kReproduced : night_state_of(alert.state);
    case Telling::kTold:
      break;
  }
  return night_state_of(alert.state);
}

bool is_worse(Direction direction, bool higher) {
  return higher == (direction == Direction::kLowerIsBetter);
}

std::vector<double> values_at(const SeriesHistory& series, std::span<const std::size_t> points) {
  std::vector<double> values;
  values.reserve(points.size() + 1);
  for (const std::size_t i : points) values.push_back(series.points[i].value);
  return values;
}

// Series that somebody asked not to look at on this date.
std::set<std::string> ignored_series(std::span<const TrackEvent> events, std::string_view date) {
  std::set<std::string> ignored;
  for (const TrackEvent& event : events) {
    const std::string id = text_of(event.details, "series");
    const std::string until = text_of(event.details, "until");
    if (event.what == kIgnoredEvent && (until.empty() || date <= until)) ignored.insert(id);
    if (event.what == kWatchedEvent) ignored.erase(id);
  }
  return ignored;
}

// Judges one night; used once.
class NightJudge {
 public:
  explicit NightJudge(const NightInput& input)
      : input_(input), times_(run_times(input.runs)), log_(fold_alerts(input.events)) {
    for (const std::string& id : input.tonight) {
      const auto run =
          std::find_if(input.runs.begin(), input.runs.end(),
                       [&](const TrackedRun& candidate) { return candidate.run_id == id; });
      if (run == input.runs.end()) continue;
      night_.runs.push_back(*run);
      newest_utc_ = std::max(newest_utc_, run->started_utc);
      by_experiment_[run->experiment] = &*run;
    }
    date_ = newest_utc_.substr(0, std::string_view("2026-01-31").size());
    ignored_ = ignored_series(input.events, date_);
    facts_ = level_facts(log_, input.events, times_);
    bridges_ = bridges_of(input.events);
    for (const TrackedRun& run : input.history.runs) {
      is_tonight_.push_back(
          std::any_of(night_.runs.begin(), night_.runs.end(),
                      [&](const TrackedRun& tonight) { return tonight.run_id == run.run_id; }));
    }
  }

  Night judge() {
    night_.is_newest = !judged_later();
    const NightAlerts alerts(log_, input_);
    screen_control_cases();
    for (const SeriesHistory& series : input_.history.series) {
      if (!series.series.screened || series.series.control) continue;
      if (auto judged = judge_series(series, alerts)) night_.series.push_back(std::move(*judged));
    }
    if (night_.is_newest) {
      expire_acceptances();
      std::vector<const NightSeries*> fired;
      for (const NightSeries& series : night_.series) {
        if (series.state == NightState::kSuspect && series.fired) fired.push_back(&series);
      }
      for (TrackEvent& event : alerts.joining_events(fired))
        night_.events.push_back(std::move(event));
    } else {
      night_.notes.push_back(
          "a later night was judged already: alerts are shown as they are now, and nothing new is "
          "recorded");
    }
    night_.alerts = log_;
    add_events(night_.alerts, night_.events);
    tell_states();
    night_.precision = precision_of(night_.alerts);
    if (std::string warning = one_sided_warning(night_.alerts); !warning.empty()) {
      night_.notes.push_back(std::move(warning));
    }
    if (!night_.alerts.left_out.empty()) {
      night_.notes.push_back(text::counted(std::ssize(night_.alerts.left_out), "event") +
                             " of the history cannot have happened and " +
                             (night_.alerts.left_out.size() == 1 ? "is" : "are") +
                             " left out: " + night_.alerts.left_out.front());
    }
    tell_what_is_gone();
    night_.only_known = night_.runs.empty() || !has_news();
    night_.verdict = verdict_of(night_);
    night_.exit_code = exit_code_of(
        input_.allow_known && night_.only_known ? verdict_of(night_, false) : night_.verdict,
        input_.allow_inconclusive);
    return std::move(night_);
  }

 private:
  [[nodiscard]] bool judged_later() const {
    return std::any_of(input_.events.begin(), input_.events.end(), [&](const TrackEvent& event) {
      return text_of(event.details, "night_utc") > newest_utc_ && !night_.runs.empty() &&
             text_of(event.details, "host") == night_.runs.front().host && !event.alert_id.empty();
    });
  }

  // Index of tonight's point, or nothing.
  [[nodiscard]] std::optional<std::size_t> point_tonight(const SeriesHistory& series) const {
    for (std::size_t i = series.points.size(); i-- > 0;) {
      if (is_tonight_.at(series.points[i].run)) return i;
      if (run_of(series, i).started_utc < first_utc()) return std::nullopt;
    }
    return std::nullopt;
  }

  [[nodiscard]] const TrackedRun& run_of(const SeriesHistory& series, std::size_t point) const {
    return input_.history.runs.at(series.points.at(point).run);
  }

  [[nodiscard]] std::string first_utc() const {
    std::string first = newest_utc_;
    for (const TrackedRun& run : night_.runs) first = std::min(first, run.started_utc);
    return first;
  }

  // Clocks are read in whole nanoseconds; the peak of a process moves by pages and by when its
  // threads allocate, whatever its size.
  [[nodiscard]] static double resolution_of(const SeriesHistory& series) {
    constexpr double kMebibyte = 1 << 20;
    if (series.series.unit == "bytes") return kMebibyte;
    return series.series.unit == "ns" ? 1 : 0;
  }

  [[nodiscard]] ScreenOptions screen_of_series(const SeriesHistory& series) const {
    ScreenOptions options = input_.screen;
    options.resolution = resolution_of(series);
    return options;
  }

  // Which way the control case of each run moved.
  void screen_control_cases() {
    for (const SeriesHistory& series : input_.history.series) {
      if (!series.series.control || series.series.metric != "step_ns") continue;
      const auto at = point_tonight(series);
      if (!at || !std::isfinite(series.points[*at].value)) continue;
      std::vector<double> segment =
          values_at(series, level_of(series, *at, input_.history, facts_).points);
      segment.push_back(series.points[*at].value);
      controls_[run_of(series, *at).run_id] = screen(segment, screen_of_series(series));
    }
  }

  std::optional<NightSeries> judge_series(const SeriesHistory& series, const NightAlerts& alerts) {
    const auto at = point_tonight(series);
    if (!at || !std::isfinite(series.points[*at].value)) return without_a_point(series, at, alerts);
    const TrackedPoint& point = series.points[*at];
    const TrackedRun& run = run_of(series, *at);
    NightSeries judged{.series = series.series, .run = run.run_id, .value = point.value};
    judged.steps = point.steps;
    if (is_future(run.started_utc, input_.now_utc)) {
      judged.state = NightState::kFutureDated;
      judged.why = "dated " + run.started_utc + ", and it is " + input_.now_utc + " now";
      return judged;
    }
    const Alert* alert = alerts.of(series.series.id);
    if (ignored_.contains(series.series.id)) {
      judged.state = NightState::kIgnored;
      return judged;
    }
    if (alert != nullptr && alert->is_undecided(*alert->find(series.series.id))) {
      follow_suspicion(judged, series, *at, *alert);
    } else {
      judge_level(judged, series, *at, alert, alerts);
    }
    return judged;
  }

  // A case that tonight's plan had, and that gave no value.
  std::optional<NightSeries> without_a_point(const SeriesHistory& series,
                                             std::optional<std::size_t> at,
                                             const NightAlerts& alerts) {
    for (std::size_t i = at.value_or(series.points.size()); i-- > 0;) {
      const TrackedRun& last = run_of(series, i);
      if (last.started_utc > newest_utc_) continue;
      const auto tonight = by_experiment_.find(last.experiment);
      if (tonight == by_experiment_.end()) return std::nullopt;
      const Alert* alert = alerts.of(series.series.id);
      if (!at && last.plan_digest != tonight->second->plan_digest) {
        const auto missing = missing_nights(series, input_.history.runs, tonight_index(last));
        if (missing == 1) ++gone_[last.experiment];
        return std::nullopt;
      }
      NightSeries judged{.series = series.series, .state = NightState::kNoData};
      if (ignored_.contains(series.series.id)) judged.state = NightState::kIgnored;
      if (alert != nullptr) judged.alert = alert->id;
      judged.why = "no value tonight; the last one is of " + last.started_utc.substr(0, 10);
      return judged;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::size_t tonight_index(const TrackedRun& last) const {
    for (std::size_t i = input_.history.runs.size(); i-- > 0;) {
      if (is_tonight_[i] && input_.history.runs[i].experiment == last.experiment) return i;
    }
    return input_.history.runs.size() - 1;
  }

  static void take(NightSeries& judged, const ScreenAnswer& answer) {
    judged.fired = answer.fired();
    judged.usual = answer.usual;
    judged.change = answer.change;
    judged.score = answer.score;
    judged.higher = answer.fired() ? answer.higher : answer.change > 0;
    judged.worse = is_worse(judged.series.direction, judged.higher);
  }

  // Tonight's point of a series that is to be measured, against the level from which it moved away:
  // shown, for a measurement decides.
  void follow_suspicion(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                        const Alert& alert) {
    const AlertSeries& known = *alert.find(series.series.id);
    judged.alert = alert.id;
    judged.worse = alert.worse;
    judged.higher = known.higher();
    judged.first_bad = known.first_bad;
    judged.last_good = known.last_good;
    judged.usual = known.usual;
    if (known.usual != 0) judged.change = *judged.value / known.usual - 1;
    const SeriesLevel level = level_of(series, at, input_.history, facts_);
    judged.points = level.points.size();
    std::vector<double> segment = values_at(series, level.points);
    segment.push_back(*judged.value);
    explain_by_control(judged, series);
    const ScreenAnswer answer = screen(segment, screen_of_series(series));
    if (answer.warming_up || !known.against.empty()) return;
    take(judged, answer);
    judged.fired = known.higher() ? answer.higher : answer.lower;
    judged.higher = known.higher();
    judged.worse = alert.worse;
    add_normalised(judged, series, at, level.points);
  }

  // `alert`: that speaks for the series, and in which it is decided; or null.
  void judge_level(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                   const Alert* alert, const NightAlerts& alerts) {
    if (alert != nullptr) judged.alert = alert->id;
    const SeriesLevel level = level_of(series, at, input_.history, facts_);
    std::vector<double> segment = values_at(series, level.points);
    segment.push_back(*judged.value);
    judged.points = level.points.size();
    const bool new_cohort = note_cohort(series, at);
    const ScreenAnswer answer = screen(segment, screen_of_series(series));
    find_pin(judged, series, at, level);
    if (answer.warming_up) {
      judged.state = new_cohort ? NightState::kEnvironmentChange : NightState::kWarmingUp;
      if (new_cohort) judged.why = "the environment is another one since tonight";
      if (!level.points.empty()) {
        segment.pop_back();
        judged.usual = stats::median(segment);
        judged.change = *judged.usual != 0 ? *judged.value / *judged.usual - 1 : 0;
      } else if (new_cohort && !level.pins.empty()) {
        judged.usual = stats::median(values_at(series, newest_of(level.pins)));
        judged.change = *judged.usual != 0 ? *judged.value / *judged.usual - 1 : 0;
      }
    } else {
      take(judged, answer);
      add_normalised(judged, series, at, level.points);
    }
    const bool was_measured = alert != nullptr && alerts.ended_tonight(*alert);
    if (was_measured) {
      judged.fired = false;
      return;
    }
    plan_bridge(judged, series, at, level);
    if (take_bridge(judged, series, at, level, alert)) return;
    if (!answer.fired() || is_accepted(judged, alert)) {
      judged.fired = false;
      return;
    }
    if (is_way_back(judged, alert)) {
      judged.back = true;
      judged.fired = false;
      return;
    }
    find_range(judged, series, at, level.points, answer);
    explain_by_control(judged, series);
    const TrackedRun* good = run_named(judged.last_good);
    const std::string& build = run_of(series, at).build_id;
    if (good != nullptr && !build.empty() && good->build_id == build) {
      judged.state = NightState::kEnvironmentChange;
      judged.why = "it moved, but the program is that of the last good night (build " +
                   build.substr(0, 8) + "): the machine, or chance";
      return;
    }
    judged.state = NightState::kSuspect;
  }

  // The newest thirty of points that stand newest first.
  [[nodiscard]] static std::span<const std::size_t> newest_of(
      const std::vector<std::size_t>& points) {
    constexpr std::size_t kNewest = 30;
    return std::span(points).first(std::min(kNewest, points.size()));
  }

  [[nodiscard]] const TrackedRun* run_named(const std::string& id) const {
    const auto found = std::find_if(input_.runs.begin(), input_.runs.end(),
                                    [&](const TrackedRun& run) { return run.run_id == id; });
    return found == input_.runs.end() ? nullptr : &*found;
  }

  [[nodiscard]] bool is_kept(const TrackedRun& run) const {
    return !run.git_dirty && (!input_.has_program || input_.has_program(run));
  }

  // The kept program that stands for the level.
  void find_pin(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                const SeriesLevel& level) const {
    const std::string& build = run_of(series, at).build_id;
    for (const std::size_t i : level.pins) {
      const TrackedRun& run = run_of(series, i);
      if (!build.empty() && run.build_id == build) return;  // it is tonight's: nothing to be told
      if (!is_kept(run)) continue;
      judged.pin = run.run_id;
      return;
    }
  }

  void plan_bridge(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                   const SeriesLevel& level) const {
    if (judged.pin.empty() || series.series.direction == Direction::kNeither) return;
    const Bridge* last = newest_bridge(bridges_, series.series.id, newest_utc_);
    const TrackedRun& tonight = run_of(series, at);
    if (last != nullptr && last->night.run == tonight.run_id) return;
    judged.bridge_due = bridge_is_due(level.points.size(), last == nullptr ? "" : last->night.utc,
                                      tonight.started_utc);
  }

  // What tonight's bridge found. True: it moved, and nothing else is to be asked.
  bool take_bridge(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                   const SeriesLevel& level, const Alert* alert) const {
    const TrackedRun& tonight = run_of(series, at);
    const Bridge* bridge = newest_bridge(bridges_, series.series.id, newest_utc_);
    if (bridge == nullptr || bridge->night.run != tonight.run_id) return false;
    const AlertMeasurement& one = bridge->measurement;
    const TrackedRun* pin = run_named(one.good);
    const std::string words = "held against the program of " +
                              (pin == nullptr ? one.good : pin->started_utc.substr(0, 10)) + ": " +
                              text::signed_percent(one.change) + " % [" +
                              text::signed_percent(one.low) + ", " +
                              text::signed_percent(one.high) + "]";
    if (!one.reproduced) {
      judged.why = words + (judged.why.empty() ? "" : "; " + judged.why);
      return false;
    }
    judged.higher = one.change > 0;
    judged.fired = false;
    if (is_accepted(judged, alert)) return true;
    if (is_way_back(judged, alert)) {
      judged.back = true;
      judged.why = words;
      return true;
    }
    judged.bridged = judged.fired = true;
    judged.worse = is_worse(series.series.direction, judged.higher);
    judged.change = one.change;
    judged.usual = *judged.value / (1 + one.change);
    judged.score.reset();
    judged.pin = one.good;
    judged.first_bad = tonight.run_id;
    judged.last_good = last_bridged_good(series, level, one.good);
    judged.state = NightState::kSuspect;
    judged.why = words;
    return true;
  }

  // The newest night of a young level that was held against the same program and was like it. Of an
  // old one the program itself: what creeps has no one commit.
  [[nodiscard]] std::string last_bridged_good(const SeriesHistory& series, const SeriesLevel& level,
                                              const std::string& pin) const {
    if (level.points.size() >= kMinForScreen) return pin;
    for (auto i = level.points.rbegin(); i != level.points.rend(); ++i) {
      const TrackedRun& run = run_of(series, *i);
      const Bridge* bridge = bridge_of_night(bridges_, series.series.id, run.run_id);
      if (bridge != nullptr && !bridge->measurement.reproduced && bridge->measurement.good == pin &&
          !run.git_dirty) {
        return run.run_id;
      }
    }
    return pin;
  }

  // Somebody accepted as much as that.
  static bool is_accepted(NightSeries& judged, const Alert* alert) {
    if (alert == nullptr || alert->state != AlertState::kAcknowledged || !alert->expect) {
      return false;
    }
    const AlertSeries& known = *alert->find(judged.series.id);
    if (known.usual == 0 || judged.higher != (*alert->expect > 0)) return false;
    const double change = *judged.value / known.usual - 1;
    if (std::abs(change) > std::abs(*alert->expect)) return false;
    judged.why = "it is " + text::signed_percent(change) + " % now, and " +
                 text::signed_percent(*alert->expect) + " % were accepted";
    return true;
  }

  // A series with an open regression that moved the other way: measured, whether it is gone. Where
  // that said tonight or in the nights before that it is not, it is an episode of its own.
  [[nodiscard]] bool is_way_back(const NightSeries& judged, const Alert* alert) const {
    if (alert == nullptr || alert->state != AlertState::kRegression) return false;
    const AlertSeries& known = *alert->find(judged.series.id);
    if (judged.higher == known.higher()) return false;
    const AlertMeasurement* last = known.last();
    return last == nullptr || !last->closing || !last->reproduced || !is_recent(last->night);
  }

  [[nodiscard]] bool is_recent(const std::string& run) const {
    constexpr std::size_t kRecent = 3;
    std::size_t nights = 0;
    for (auto each = input_.runs.rbegin(); each != input_.runs.rend(); ++each) {
      if (each->started_utc > newest_utc_ || each->host != night_.runs.front().host) continue;
      if (each->run_id == run) return true;
      if (++nights >= kRecent * night_.runs.size()) return false;
    }
    return false;
  }

  // Between which runs it moved.
  void find_range(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                  const std::vector<std::size_t>& level, const ScreenAnswer& answer) const {
    judged.first_bad = run_of(series, at).run_id;
    std::vector<double> segment = values_at(series, level);
    segment.push_back(series.points[at].value);
    const auto choose = [&](const std::function<bool(std::size_t)>& usable) {
      return last_good(segment, screen_of_series(series), answer, usable);
    };
    auto good = choose([&](std::size_t i) { return is_kept(run_of(series, level[i])); });
    if (!good) good = choose([&](std::size_t i) { return !run_of(series, level[i]).git_dirty; });
    if (good) judged.last_good = run_of(series, level[*good]).run_id;
  }

  // The control case does the same work every night: what moves it moved the machine, maybe more
  // than the machine. Measuring in turns tells the two apart.
  void explain_by_control(NightSeries& judged, const SeriesHistory& series) const {
    const auto control = controls_.find(judged.run);
    if (control == controls_.end() || series.series.unit != "ns") return;
    if (!(judged.higher ? control->second.higher : control->second.lower)) return;
    judged.why =
        "the control case moved too, " + text::signed_percent(control->second.change) + " %";
  }

  static void add_normalised(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                             const std::vector<std::size_t>& level) {
    const TrackedPoint& tonight = series.points[at];
    if (series.series.unit != "ns" || !tonight.control || !(*tonight.control > 0)) return;
    std::vector<double> before;
    for (const std::size_t i : level) {
      const TrackedPoint& point = series.points[i];
      if (point.control && *point.control > 0) before.push_back(point.value / *point.control);
    }
    if (before.size() < kMinForScreen) return;
    const auto middle = before.begin() + static_cast<std::ptrdiff_t>(before.size() / 2);
    std::nth_element(before.begin(), middle, before.end());
    judged.normalised_change = tonight.value / *tonight.control / *middle - 1;
  }

  // Whether the series' environment is another one than in its night before; what changed is told
  // once for each experiment.
  bool note_cohort(const SeriesHistory& series, std::size_t at) {
    if (at == 0 || series.points[at - 1].cohort == series.points[at].cohort) return false;
    const auto find = [&](const std::string& id) {
      const auto& cohorts = input_.history.cohorts;
      const auto found = std::find_if(cohorts.begin(), cohorts.end(),
                                      [&](const Cohort& cohort) { return cohort.id == id; });
      return found == cohorts.end() ? Fields() : found->fields;
    };
    const Fields before = find(series.points[at - 1].cohort);
    const Fields tonight = find(series.points[at].cohort);
    std::set<std::string> names;
    for (const auto& [name, value] : before) names.insert(name);
    for (const auto& [name, value] : tonight) names.insert(name);
    for (const std::string& name : names) {
      const std::string was = text_of(before, name, "-");
      const std::string is = text_of(tonight, name, "-");
      if (was == is) continue;
      const std::string& experiment = run_of(series, at).experiment;
      const auto known = std::find_if(
          night_.cohorts.begin(), night_.cohorts.end(), [&](const CohortChange& change) {
            return change.experiment == experiment && change.field == name &&
                   change.before == was && change.tonight == is;
          });
      CohortChange& change =
          known == night_.cohorts.end()
              ? night_.cohorts.emplace_back(CohortChange{
                    .experiment = experiment, .field = name, .before = was, .tonight = is})
              : *known;
      ++change.series;
    }
    return true;
  }

  // Acceptances whose date has passed, of experiments that ran tonight.
  void expire_acceptances() {
    for (const Alert& alert : log_.alerts) {
      if (alert.state != AlertState::kAcknowledged || alert.until.empty()) continue;
      const auto run = by_experiment_.find(alert.experiment);
      if (run == by_experiment_.end() || run->second->host != alert.host) continue;
      if (date_ <= alert.until) continue;
      night_.events.push_back(event_of(AlertEvent::kExpired, alert.id, night_of(*run->second),
                                       "it was accepted until " + alert.until));
    }
  }

  // Series in alerts have the alert's state, after tonight's events.
  void tell_states() {
    for (const TrackEvent& event : night_.events) {
      if (event.what != name_of(AlertEvent::kFired)) continue;
      const std::string id = moved_series(event).series;
      for (NightSeries& series : night_.series) {
        if (series.series.id == id) series.alert = event.alert_id;
      }
    }
    for (NightSeries& series : night_.series) {
      if (series.alert.empty() || series.state == NightState::kNoData ||
          series.state == NightState::kIgnored) {
        continue;
      }
      const Alert* alert = night_.alerts.find(series.alert);
      if (alert == nullptr) continue;
      const AlertSeries* known = alert->find(series.series.id);
      if (known == nullptr) continue;
      series.state = night_state_of(*alert, *known);
      if (!series.fired) tell_of_alert(series, *alert, *known);
    }
    tell_absent_regressions();
  }

  // Of a series that is where its alert left it: its change is that since before the alert.
  static void tell_of_alert(NightSeries& series, const Alert& alert, const AlertSeries& known) {
    series.worse = alert.worse;
    series.higher = known.higher();
    series.first_bad = known.first_bad;
    series.last_good = known.last_good;
    if (series.state == NightState::kAcknowledged || known.usual == 0) return;
    series.usual = known.usual;
    series.change = *series.value / known.usual - 1;
    series.score.reset();
  }

  // An open regression whose series has no value tonight is open still.
  void tell_absent_regressions() {
    for (const Alert& alert : night_.alerts.alerts) {
      const auto run = by_experiment_.find(alert.experiment);
      if (alert.state != AlertState::kRegression || !alert.worse || run == by_experiment_.end() ||
          run->second->host != alert.host) {
        continue;
      }
      const bool is_told =
          std::any_of(night_.series.begin(), night_.series.end(), [&](const NightSeries& series) {
            return series.alert == alert.id && series.state == NightState::kRegression;
          });
      if (!is_told) night_.absent.push_back(alert.id);
    }
  }

  // A regression that was told tonight, or that came back tonight because a date has passed.
  [[nodiscard]] bool has_news() const {
    return std::any_of(
        night_.alerts.alerts.begin(), night_.alerts.alerts.end(), [&](const Alert& alert) {
          return alert.state == AlertState::kRegression && alert.worse &&
                 alert.host == night_.runs.front().host && alert.news_utc >= first_utc();
        });
  }

  void tell_what_is_gone() {
    for (const auto& [experiment, series] : gone_) {
      night_.notes.push_back(text::counted(static_cast<std::int64_t>(series), "series") + " of " +
                             experiment + (series == 1 ? " is" : " are") +
                             " not in tonight's plan any more");
    }
  }

  const NightInput& input_;
  RunTimes times_;
  AlertLog log_;
  LevelFacts facts_;
  Night night_;
  std::string newest_utc_;
  std::string date_;
  std::set<std::string> ignored_;
  std::map<std::string, const TrackedRun*, std::less<>> by_experiment_;
  std::vector<bool> is_tonight_;                  // by index of the history's runs
  std::map<std::string, ScreenAnswer> controls_;  // by run id
  Bridges bridges_;
  std::map<std::string, std::size_t> gone_;  // by experiment
};

}  // namespace

Night judge_night(const NightInput& input) { return NightJudge(input).judge(); }

}  // namespace stepbench::track
