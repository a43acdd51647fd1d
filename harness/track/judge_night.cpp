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
#include "harness/track/confirm_rule.h"
#include "harness/track/creep.h"
#include "harness/track/last_good.h"
#include "harness/track/level.h"
#include "harness/track/night_alerts.h"
#include "harness/track/one_sided.h"

namespace stepbench::track {
namespace {

constexpr std::size_t kRecentNights = 3;  // of an alert's series that are held against its level

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
  }
  return NightState::kInvalid;
}

bool is_worse(Direction direction, bool higher) {
  return higher == (direction == Direction::kLowerIsBetter);
}

// In the first measurement of the last night that measured it, and not in the second one.
bool was_there_once(const AlertSeries& series) {
  if (series.measured.size() < 2) return false;
  const AlertMeasurement& first = series.measured[series.measured.size() - 2];
  const AlertMeasurement& second = series.measured.back();
  return first.reproduced && !second.reproduced && first.night == second.night;
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
    for (const TrackEvent& event : input.events) {
      if (!event.details.contains("creep")) continue;
      creeps_[text_of(event.details, "series")] = text_of(event.details, "night_utc");
    }
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
      follow_alerts(alerts);
      std::vector<const NightSeries*> fired;
      for (const NightSeries& series : night_.series) {
        if (series.state == NightState::kSuspect && series.alert.empty()) fired.push_back(&series);
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
    night_.verdict = verdict_of(night_);
    night_.exit_code = exit_code_of(night_.verdict, input_.allow_inconclusive);
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
          values_at(series, level_before(series, *at, input_.history, facts_));
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
    if (alert != nullptr) {
      hold_against_alert(judged, series, *at, *alert);
    } else {
      judge_level(judged, series, *at);
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

  // Tonight's point of a series in an alert, against the level from which the alert's move went
  // away.
  void hold_against_alert(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                          const Alert& alert) {
    const AlertSeries& known = *alert.find(series.series.id);
    judged.alert = alert.id;
    judged.state = night_state_of(alert.state);
    judged.worse = alert.worse;
    judged.higher = known.change > 0;
    judged.first_bad = known.first_bad;
    judged.last_good = known.last_good;
    judged.usual = known.usual;
    if (known.usual != 0) judged.change = *judged.value / known.usual - 1;
    const std::vector<std::size_t> before = points_before(series, at, alert, known);
    judged.points = before.size();
    if (!before.empty() && series.points[before.back()].cohort != series.points[at].cohort) {
      judged.why = "the environment changed since: whether it is back cannot be told";
      judged.points = 0;
      return;
    }
    if (before.size() < kMinForScreen) return;
    std::vector<double> segment = values_at(series, before);
    const std::size_t level = segment.size();
    for (std::size_t i = at + 1; i-- > 0 && segment.size() < level + kRecentNights;) {
      if (run_of(series, i).started_utc < time_of(known.first_bad)) break;
      if (std::isfinite(series.points[i].value)) {
        segment.insert(segment.begin() + static_cast<std::ptrdiff_t>(level),
                       series.points[i].value);
      }
    }
    const ScreenAnswer answer = screen(segment, screen_of_series(series));
    const bool higher = judged.higher;
    take(judged, answer);
    judged.fired = higher ? answer.higher : answer.lower;
    judged.higher = higher;
    judged.worse = alert.worse;
    if (judged.fired && (is_open(alert.state) || alert.state == AlertState::kAcknowledged) &&
        is_usual(segment, level, screen_of_series(series))) {
      judged.why = "tonight alone is as usual, which one night does not prove: `fixed` needs more";
    }
    add_normalised(judged, series, at, before);
    if (alert.expect) grown_[series.series.id] = has_grown(segment, level, *alert.expect, series);
  }

  // Whether the last value of `segment` would be no move if it came straight after the first
  // `level`.
  static bool is_usual(std::span<const double> segment, std::size_t level,
                       const ScreenOptions& options) {
    const auto before = segment.first(level);
    std::vector<double> alone(before.begin(), before.end());
    alone.push_back(segment.back());
    return !screen(alone, options).fired();
  }

  [[nodiscard]] std::string time_of(const std::string& run) const {
    const auto found = times_.find(run);
    return found == times_.end() ? std::string() : found->second;
  }

  [[nodiscard]] std::vector<std::size_t> points_before(const SeriesHistory& series, std::size_t at,
                                                       const Alert& alert,
                                                       const AlertSeries& known) const {
    const std::string begin = time_of(known.first_bad);
    if (begin.empty()) return {};
    std::size_t first_bad = at;
    while (first_bad > 0 && run_of(series, first_bad - 1).started_utc >= begin) --first_bad;
    const LevelFacts facts = level_facts(log_, input_.events, times_, alert.id);
    return level_before(series, first_bad, input_.history, facts);
  }

  // Whether the screen would fire if the change that was accepted were the usual.
  [[nodiscard]] bool has_grown(std::vector<double> segment, std::size_t level, double expect,
                               const SeriesHistory& series) const {
    for (std::size_t i = 0; i < level; ++i) segment[i] *= 1 + expect;
    const ScreenAnswer answer = screen(segment, screen_of_series(series));
    return expect < 0 ? answer.lower : answer.higher;
  }

  void judge_level(NightSeries& judged, const SeriesHistory& series, std::size_t at) {
    const std::vector<std::size_t> level = level_before(series, at, input_.history, facts_);
    std::vector<double> segment = values_at(series, level);
    segment.push_back(*judged.value);
    judged.points = level.size();
    const bool new_cohort = note_cohort(series, at);
    const ScreenAnswer answer = screen(segment, screen_of_series(series));
    if (answer.warming_up) {
      judged.state = new_cohort ? NightState::kEnvironmentChange : NightState::kWarmingUp;
      if (new_cohort) judged.why = "the environment is another one since tonight";
      return;
    }
    take(judged, answer);
    add_normalised(judged, series, at, level);
    if (!answer.fired()) {
      judge_creep(judged, series, at, level, segment);
      return;
    }
    find_range(judged, series, at, level, answer);
    if (explain_by_control(judged, series, at, level, answer)) return;
    const auto good =
        std::find_if(input_.runs.begin(), input_.runs.end(),
                     [&](const TrackedRun& run) { return run.run_id == judged.last_good; });
    const std::string& build = run_of(series, at).build_id;
    if (good != input_.runs.end() && !build.empty() && good->build_id == build) {
      judged.state = NightState::kEnvironmentChange;
      judged.why = "it moved, but the program is that of the last good night (build " +
                   build.substr(0, 8) + "): the machine, or chance";
      return;
    }
    judged.state = NightState::kSuspect;
  }

  // Steps too small for any night to show. `segment`: the values of the level, and tonight's.
  void judge_creep(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                   const std::vector<std::size_t>& level, std::span<const double> segment) const {
    if (series.series.direction == Direction::kNeither) return;
    const auto last = creeps_.find(series.series.id);
    const std::string_view last_utc = last == creeps_.end() ? "" : std::string_view(last->second);
    if (!creep_is_due(last_utc, run_of(series, at).started_utc)) return;
    const bool higher = series.series.direction == Direction::kLowerIsBetter;
    const double level_now = stats::median(segment);
    const double least = kConfirmMargin + (level_now > 0 ? resolution_of(series) / level_now : 0);
    const auto found = creep(segment, higher, least,
                             [&](std::size_t i) { return !run_of(series, level[i]).git_dirty; });
    if (!found) return;
    const double change = *judged.value / found->best_level - 1;
    const TrackedRun& best = run_of(series, level[found->best]);
    const std::string& build = run_of(series, at).build_id;
    if (higher ? change <= 0 : change >= 0) return;
    if (!build.empty() && best.build_id == build) return;
    judged.creep = judged.fired = judged.worse = true;
    judged.higher = higher;
    judged.usual = found->best_level;
    judged.change = change;
    judged.score.reset();
    judged.last_good = best.run_id;
    judged.first_bad = run_of(series, level[found->best + 1]).run_id;
    judged.state = NightState::kSuspect;
    judged.why = "no single night shows it: the last " + std::to_string(kCreepLevel) +
                 " nights lie " + text::signed_percent(found->change) + " % from the best " +
                 std::to_string(kCreepLevel) + " of " + std::to_string(kCreepNights);
  }

  // Between which runs it moved.
  void find_range(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                  const std::vector<std::size_t>& level, const ScreenAnswer& answer) const {
    const std::size_t since = std::min(answer.since, level.size());
    judged.first_bad = run_of(series, since < level.size() ? level[since] : at).run_id;
    std::vector<double> segment = values_at(series, level);
    segment.push_back(series.points[at].value);
    const auto good = last_good(segment, screen_of_series(series), answer,
                                [&](std::size_t i) { return !run_of(series, level[i]).git_dirty; });
    if (good) judged.last_good = run_of(series, level[*good]).run_id;
  }

  // The control case does the same work every night: what moves it moved the machine.
  bool explain_by_control(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                          const std::vector<std::size_t>& level, const ScreenAnswer& answer) const {
    const auto control = controls_.find(judged.run);
    if (control == controls_.end() || series.series.unit != "ns") return false;
    if (!(answer.higher ? control->second.higher : control->second.lower)) return false;
    std::vector<double> normalised;
    for (const std::size_t i : level) {
      const TrackedPoint& point = series.points[i];
      if (point.control && *point.control > 0) normalised.push_back(point.value / *point.control);
    }
    const TrackedPoint& tonight = series.points[at];
    if (!tonight.control || !(*tonight.control > 0)) return false;
    normalised.push_back(tonight.value / *tonight.control);
    ScreenOptions options = screen_of_series(series);
    options.resolution = 0;
    const ScreenAnswer without = screen(normalised, options);
    if (without.warming_up || (answer.higher ? without.higher : without.lower)) return false;
    judged.state = NightState::kInvalid;
    judged.why = "the control case moved too (" + text::signed_percent(control->second.change) +
                 " %), and without it nothing is left: the machine, not the program";
    return true;
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

  // What tonight's points make of the alerts of earlier nights.
  void follow_alerts(const NightAlerts& alerts) {
    for (const Alert& alert : log_.alerts) {
      std::vector<const NightSeries*> seen;
      for (const NightSeries& series : night_.series) {
        if (series.alert == alert.id && series.value) seen.push_back(&series);
      }
      if (seen.empty() || !alerts.is_followed(alert)) continue;
      const TrackedRun& tonight = *by_experiment_.at(experiment_of(*seen.front()));
      const bool back = std::all_of(seen.begin(), seen.end(), [](const NightSeries* series) {
        return series->points >= kMinForScreen && !series->fired;
      });
      if (back) {
        night_.events.push_back(night_event(AlertEvent::kBack, alert.id, tonight, back_text(seen)));
        continue;
      }
      if (alert.state != AlertState::kAcknowledged) continue;
      const auto grown = std::find_if(seen.begin(), seen.end(), [&](const NightSeries* series) {
        const auto found = grown_.find(series->series.id);
        return found != grown_.end() && found->second;
      });
      if (grown != seen.end()) {
        night_.events.push_back(night_event(
            AlertEvent::kGrew, alert.id, tonight,
            "it is " + text::signed_percent((*grown)->change.value_or(0)) + " % now, and " +
                text::signed_percent(*alert.expect) + " % were accepted",
            {{"series", (*grown)->series.id}}));
      } else if (!alert.until.empty() && date_ > alert.until) {
        night_.events.push_back(night_event(AlertEvent::kExpired, alert.id, tonight,
                                            "it was accepted until " + alert.until));
      }
    }
  }

  [[nodiscard]] std::string experiment_of(const NightSeries& series) const {
    for (const TrackedRun& run : night_.runs) {
      if (run.run_id == series.run) return run.experiment;
    }
    return series.series.experiment;
  }

  static std::string back_text(const std::vector<const NightSeries*>& series) {
    if (series.size() == 1) {
      return "back: " + text::signed_percent(series.front()->change.value_or(0)) +
             " % from the usual";
    }
    return "all " + text::counted(std::ssize(series), "series") + " are back at the usual";
  }

  // Series in alerts have the alert's state, after tonight's events.
  void tell_states() {
    for (TrackEvent& event : night_.events) {
      if (event.what != name_of(AlertEvent::kFired)) continue;
      const std::string id = text_of(event.details, "series");
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
      const bool gone = known != nullptr && !known->holds() &&
                        !(alert->state == AlertState::kReproduced && was_there_once(*known));
      series.state = gone ? NightState::kNotReproduced : night_state_of(alert->state);
    }
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
  std::map<std::string, bool> grown_;             // by series id
  std::map<std::string, std::string> creeps_;     // by series id: when one was last suspected
  std::map<std::string, std::size_t> gone_;       // by experiment
};

}  // namespace

Night judge_night(const NightInput& input) { return NightJudge(input).judge(); }

}  // namespace stepbench::track
