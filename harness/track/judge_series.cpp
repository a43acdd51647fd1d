// SPDX-License-Identifier: Apache-2.0
#include "harness/track/judge_series.h"

#include <algorithm>
#include <cmath>

#include "harness/stats/order.h"
#include "harness/text/numbers.h"
#include "harness/track/cohort_changes.h"
#include "harness/track/last_good.h"

namespace stepbench::track {
namespace {

constexpr std::string_view kOtherEnvironment = "the environment is another one since tonight";

bool is_worse(Direction direction, bool higher) {
  return higher == (direction == Direction::kLowerIsBetter);
}

void take(NightSeries& judged, const HeldAgainst& held, const ScreenAnswer& answer) {
  judged.by_ratio = held.by_ratio();
  judged.fired = answer.fired();
  judged.usual = held.by_ratio() ? *judged.value / (1 + answer.change) : answer.usual;
  judged.change = answer.change;
  judged.score = answer.score;
  judged.higher = answer.fired() ? answer.higher : answer.change > 0;
  judged.worse = is_worse(judged.series.direction, judged.higher);
}

void take_median(NightSeries& judged, const std::vector<double>& before) {
  judged.usual = stats::median(before);
  judged.change = *judged.usual != 0 ? *judged.value / *judged.usual - 1 : 0;
}

void add_normalised(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                    const std::vector<std::size_t>& level) {
  const TrackedPoint& tonight = series.points[at];
  if (series.series.unit != "ns" || !tonight.control || !(*tonight.control > 0)) return;
  std::vector<double> before;
  for (const std::size_t i : level) {
    const TrackedPoint& point = series.points[i];
    if (point.control && *point.control > 0) before.push_back(point.value / *point.control);
  }
  if (before.size() < kMinForScreen) return;
  judged.normalised_change = tonight.value / *tonight.control / stats::median(before) - 1;
}

// Of a series with a wide margin: within it, and nothing that a measurement could tell.
bool is_too_little(double change, double margin) {
  return margin > kTellMargin && std::abs(change) <= margin;
}

// Somebody accepted as much as that.
bool is_accepted(NightSeries& judged, const Alert* alert) {
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

std::string date_of(const TrackedRun* run, const std::string& id) {
  return run == nullptr ? id : run->started_utc.substr(0, 10);
}

std::string range_text(const AlertMeasurement& one) {
  return text::signed_percent(one.change) + " % [" + text::signed_percent(one.low) + ", " +
         text::signed_percent(one.high) + "]";
}

}  // namespace

std::optional<NightSeries> SeriesJudge::judge(const SeriesHistory& series) {
  const auto at = facts_.point_tonight(series);
  if (!at || !std::isfinite(series.points[*at].value)) return without_a_point(series, at);
  const TrackedPoint& point = series.points[*at];
  const TrackedRun& run = facts_.run_of(series, *at);
  NightSeries judged{.series = series.series, .run = run.run_id, .value = point.value};
  judged.steps = point.steps;
  judged.margin = facts_.margin_of(series, run);
  if (is_future(run.started_utc, facts_.input().now_utc)) {
    judged.state = NightState::kFutureDated;
    judged.why = "dated " + run.started_utc + ", and it is " + facts_.input().now_utc + " now";
    return judged;
  }
  const Alert* alert = alerts_.of(series.series.id);
  if (facts_.is_ignored(series.series.id)) {
    judged.state = NightState::kIgnored;
    return judged;
  }
  if (alert != nullptr && alert->is_undecided(*alert->find(series.series.id))) {
    follow_suspicion(judged, series, *at, *alert);
  } else {
    judge_level(judged, series, *at, alert);
  }
  return judged;
}

// A case that tonight's plan had, and that gave no value.
std::optional<NightSeries> SeriesJudge::without_a_point(const SeriesHistory& series,
                                                        std::optional<std::size_t> at) {
  for (std::size_t i = at.value_or(series.points.size()); i-- > 0;) {
    const TrackedRun& last = facts_.run_of(series, i);
    if (last.started_utc > facts_.newest_utc()) continue;
    const TrackedRun* tonight = facts_.tonights_run(last.experiment);
    if (tonight == nullptr) return std::nullopt;
    const Alert* alert = alerts_.of(series.series.id);
    if (!at && last.plan_digest != tonight->plan_digest) {
      const auto missing =
          missing_nights(series, facts_.input().history.runs, facts_.tonight_index(last));
      if (missing == 1) ++gone_[last.experiment];
      return std::nullopt;
    }
    NightSeries judged{.series = series.series, .state = NightState::kNoData};
    if (facts_.is_ignored(series.series.id)) judged.state = NightState::kIgnored;
    if (alert != nullptr) judged.alert = alert->id;
    judged.why = "no value tonight; the last one is of " + last.started_utc.substr(0, 10);
    return judged;
  }
  return std::nullopt;
}

// Tonight's point of a series that is to be measured, against the level from which it moved away:
// shown, for a measurement decides.
void SeriesJudge::follow_suspicion(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                                   const Alert& alert) const {
  const AlertSeries& known = *alert.find(series.series.id);
  judged.alert = alert.id;
  judged.worse = alert.worse;
  judged.higher = known.higher();
  judged.first_bad = known.first_bad;
  judged.last_good = known.last_good;
  judged.usual = known.usual;
  if (known.usual != 0) judged.change = *judged.value / known.usual - 1;
  const HeldAgainst held = held_against(series, at, facts_);
  judged.points = held.points.size();
  judged.layout_sd = held.layout_sd;
  explain_by_control(judged, series);
  const ScreenAnswer answer = screen_tonight(held, series, facts_);
  if (answer.warming_up || !known.against.empty()) return;
  take(judged, held, answer);
  judged.fired = known.higher() ? answer.higher : answer.lower;
  judged.higher = known.higher();
  judged.worse = alert.worse;
  add_normalised(judged, series, at, held.level.points);
}

// `alert`: that speaks for the series, and in which it is decided; or null.
void SeriesJudge::judge_level(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                              const Alert* alert) {
  if (alert != nullptr) judged.alert = alert->id;
  const HeldAgainst held = held_against(series, at, facts_);
  judged.points = held.points.size();
  judged.layout_sd = held.layout_sd;
  const bool new_cohort =
      note_cohort(cohorts_, facts_.input().history, series, at, held.by_ratio());
  const ScreenAnswer answer = screen_tonight(held, series, facts_);
  find_pin(judged, series, at, held.level);
  take_screen(judged, series, at, held, answer, new_cohort);
  if (alerts_.is_decided_tonight(series.series.id)) {
    judged.fired = false;
    return;
  }
  const bool other = judged.state == NightState::kEnvironmentChange;
  const std::optional<double> since = judged.change;
  plan_bridge(judged, series, at, held);
  const bool bridged = take_bridge(judged, series, at, held.level, alert);
  if (other) tell_environment(judged, series, at, held, since);
  if (bridged) return;
  if (!answer.fired() || is_too_little(answer.change, judged.margin)) {
    judged.fired = false;
    (void)take_drift(judged, series, at, held, alert);
    return;
  }
  if (is_accepted(judged, alert)) {
    judged.fired = false;
    return;
  }
  if (is_way_back(judged, alert)) {
    judged.back = true;
    judged.fired = false;
    return;
  }
  find_range(judged, series, at, held, answer);
  explain_by_control(judged, series);
  const TrackedRun* good = facts_.run_named(judged.last_good);
  const std::string& build = facts_.run_of(series, at).build_id;
  if (good != nullptr && !build.empty() && good->build_id == build) {
    judged.state = NightState::kEnvironmentChange;
    judged.why = "it moved, but the program is that of the last good night (build " +
                 build.substr(0, 8) + "): the machine, or chance";
    return;
  }
  judged.state = NightState::kSuspect;
}

void SeriesJudge::take_screen(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                              const HeldAgainst& held, const ScreenAnswer& answer,
                              bool new_cohort) const {
  const SeriesLevel& level = held.level;
  if (held.points.size() < kMinForScreen || (new_cohort && held.by_ratio())) {
    judged.state = new_cohort ? NightState::kEnvironmentChange : NightState::kWarmingUp;
  }
  if (!answer.warming_up) {
    take(judged, held, answer);
    add_normalised(judged, series, at, level.points);
  } else if (!level.points.empty()) {
    take_median(judged, values_at(series, level.points));
  } else if (new_cohort && !level.pins.empty()) {
    constexpr std::size_t kNewest = 30;  // pins of another environment stand newest first
    const auto newest = std::span(level.pins).first(std::min(kNewest, level.pins.size()));
    take_median(judged, values_at(series, newest));
  }
}

// What the environment did and what the program did, as two numbers where one program ran in both.
// `since`: what both together did.
void SeriesJudge::tell_environment(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                                   const HeldAgainst& held, std::optional<double> since) const {
  const auto two = [](double environment, double program) {
    return ": it did " + text::signed_percent(environment) + " %, tonight's program " +
           text::signed_percent(program) + " %; ";
  };
  const std::string& tonight = facts_.run_of(series, at).run_id;
  const Bridge* bridge = bridge_of_night(facts_.bridges(), series.series.id, tonight);
  std::string text(kOtherEnvironment);
  if (const auto did = environment_did(held, series, at, facts_)) {
    text += two(*did, judged.change.value_or(0)) + "the program of " +
            date_of(facts_.run_named(held.reference->run), held.reference->run) +
            " was measured in both";
  } else if (bridge != nullptr && since) {
    const double program = bridge->measurement.change;
    text += two((1 + *since) / (1 + program) - 1, program) + judged.why;
  } else {
    text +=
        ": no program of before has run in it, so that what it did and what tonight's program "
        "did cannot be told apart";
  }
  judged.why = std::move(text);
}

// The kept program that stands for the level.
void SeriesJudge::find_pin(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                           const SeriesLevel& level) const {
  const std::string& build = facts_.run_of(series, at).build_id;
  for (const std::size_t i : level.pins) {
    const TrackedRun& run = facts_.run_of(series, i);
    if (!build.empty() && run.build_id == build) return;  // it is tonight's: nothing to be told
    if (!facts_.is_kept(run) || facts_.unusable().contain(series.series.id, run)) continue;
    judged.pin = run.run_id;
    return;
  }
}

void SeriesJudge::plan_bridge(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                              const HeldAgainst& held) const {
  if (held.by_ratio() || judged.pin.empty()) return;
  if (series.series.direction == Direction::kNeither) return;
  const Bridge* last = newest_bridge(facts_.bridges(), series.series.id, facts_.newest_utc());
  const TrackedRun& tonight = facts_.run_of(series, at);
  if (last != nullptr && last->night.run == tonight.run_id) return;
  judged.bridge_due = bridge_is_due(held.points.size(), last == nullptr ? "" : last->night.utc,
                                    tonight.started_utc);
}

// What tonight's bridge found. True: it moved, and nothing else is to be asked.
bool SeriesJudge::take_bridge(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                              const SeriesLevel& level, const Alert* alert) const {
  const TrackedRun& tonight = facts_.run_of(series, at);
  const Bridge* bridge = bridge_of_night(facts_.bridges(), series.series.id, tonight.run_id);
  if (bridge == nullptr) return false;
  const AlertMeasurement& one = bridge->measurement;
  const std::string words = "held against the program of " +
                            date_of(facts_.run_named(one.good), one.good) + ": " + range_text(one);
  if (!one.reproduced || is_too_little(one.change, judged.margin)) {
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
  judged.last_good = last_bridged_good(series, level, one);
  judged.state = NightState::kSuspect;
  judged.why = words;
  return true;
}

// The newest night of a young level that was held against the same program and lies clearly below
// half of what tonight's does: one that merely did not fire may have the change already. Of an old
// level the program itself: what creeps has no one commit.
std::string SeriesJudge::last_bridged_good(const SeriesHistory& series, const SeriesLevel& level,
                                           const AlertMeasurement& tonight) const {
  constexpr double kClearly = 1.64;
  const std::string& pin = tonight.good;
  if (level.points.size() >= kMinForScreen) return pin;
  const double sign = tonight.change > 0 ? 1 : -1;
  const double half = std::abs(std::log1p(tonight.change)) / 2;
  for (auto i = level.points.rbegin(); i != level.points.rend(); ++i) {
    const TrackedRun& run = facts_.run_of(series, *i);
    const Bridge* bridge = bridge_of_night(facts_.bridges(), series.series.id, run.run_id);
    if (bridge == nullptr || run.git_dirty) continue;
    const AlertMeasurement& one = bridge->measurement;
    if (one.reproduced || one.good != pin) continue;
    if (sign * std::log1p(one.change) + kClearly * standard_error(one) < half) return run.run_id;
  }
  return pin;
}

// A level that went away from where it began, too little in any one night. True: it did.
bool SeriesJudge::take_drift(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                             const HeldAgainst& held, const Alert* alert) const {
  if (!held.by_ratio() || judged.pin.empty() || !drift_is_due(series, at)) return false;
  const ScreenAnswer answer = screen_drift(held.ratios, held.layout_sd, judged.margin);
  if (!answer.fired()) return false;
  judged.higher = answer.higher;
  if (is_accepted(judged, alert) || is_way_back(judged, alert)) return false;
  judged.bridged = judged.fired = true;
  judged.worse = is_worse(series.series.direction, judged.higher);
  judged.change = answer.change;
  judged.usual = *judged.value / (1 + answer.change);
  judged.score = answer.score;
  judged.first_bad = facts_.run_of(series, at).run_id;
  judged.last_good = judged.pin;
  judged.state = NightState::kSuspect;
  judged.why = "its level has moved by " + text::signed_percent(answer.change) +
               " % over its nights, of "
               "which the last 120 count";
  return true;
}

// Once a week: what was dismissed today is the same tomorrow.
bool SeriesJudge::drift_is_due(const SeriesHistory& series, std::size_t at) const {
  std::string last;
  for (const Alert& alert : facts_.log().alerts) {
    const AlertSeries* known = alert.find(series.series.id);
    if (known == nullptr || known->against.empty()) continue;
    last = std::max(last, alert.opened_utc);
  }
  return last.empty() || bridge_is_due(kMinForScreen, last, facts_.run_of(series, at).started_utc);
}

// A series with an open regression that moved the other way: measured, whether it is gone. Where
// that said tonight or in the nights before that it is not, it is an episode of its own.
bool SeriesJudge::is_way_back(const NightSeries& judged, const Alert* alert) const {
  if (alert == nullptr || alert->state != AlertState::kRegression) return false;
  const AlertSeries& known = *alert->find(judged.series.id);
  if (judged.higher == known.higher()) return false;
  const AlertMeasurement* last = known.last();
  return last == nullptr || !last->closing || !last->reproduced || !facts_.is_recent(last->night);
}

// Between which runs it moved.
void SeriesJudge::find_range(NightSeries& judged, const SeriesHistory& series, std::size_t at,
                             const HeldAgainst& held, const ScreenAnswer& answer) const {
  judged.first_bad = facts_.run_of(series, at).run_id;
  ScreenOptions options = facts_.screen_of_series(series);
  if (held.by_ratio()) options.resolution = 0;
  const auto run_at = [&](std::size_t i) -> const TrackedRun& {
    return facts_.run_of(series, held.points[i]);
  };
  const auto choose = [&](const std::function<bool(std::size_t)>& usable) {
    return last_good(held.segment, options, answer, usable);
  };
  auto good = choose([&](std::size_t i) { return facts_.is_kept(run_at(i)); });
  if (!good) good = choose([&](std::size_t i) { return !run_at(i).git_dirty; });
  if (good) {
    judged.last_good = run_at(*good).run_id;
  } else if (held.by_ratio() && held.ratios.anchored) {
    judged.last_good = held.reference->run;
  }
}

// The control case does the same work every night: what moves it moved the machine, maybe more
// than the machine. Measuring in turns tells the two apart.
void SeriesJudge::explain_by_control(NightSeries& judged, const SeriesHistory& series) const {
  const ScreenAnswer* control = facts_.control_of(judged.run);
  if (control == nullptr || series.series.unit != "ns") return;
  if (!(judged.higher ? control->higher : control->lower)) return;
  judged.why = "the control case moved too, " + text::signed_percent(control->change) + " %";
}

}  // namespace stepbench::track
