// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "harness/nights/levels.h"
#include "harness/verdict/change_point.h"
#include "harness/verdict/pairs.h"

namespace stepbench::nights {
namespace {

using verdict::Estimate;

constexpr double kRange = .99;
constexpr double kNoisyRankError =
    .00025;  // 3.5 standard errors; also if pairs are too few for ranks

class Judge {
 public:
  Judge(SeriesState& state, const JudgeRule& rule)
      : state_(state), rule_(rule), levels_(state, rule) {}

  Levels& levels() { return levels_; }

  // Standard errors beyond the margin; positive is worse. 0: looks unchanged.
  [[nodiscard]] double deviation() const {
    double most = 0;
    (void)levels_.last({}, [&](const LevelComparison& comparison) {
      const double error = std::sqrt(comparison.difference.variance);
      const double beyond = (std::abs(comparison.difference.value) - rule_.margin) / error;
      if (beyond > 1 && beyond > std::abs(most))
        most = std::copysign(beyond, comparison.difference.value);
      return false;
    });
    return most;
  }

  SeriesVerdict decide(std::size_t pairs) {
    SeriesVerdict judged{.suspect = deviation() != 0,
                         .pairs = pairs,
                         .layout = levels_.layout(),
                         .spread = levels_.spread()};
    set_change(judged);
    if (state_.open && state_.open->can_be_measured && close()) {
      judged.fixed = true;
      judged.state = NightState::kOk;
      judged.builds = levels_.rows(Level::kNow).size();
      return judged;
    }
    const bool worse = is_beyond(1);
    const bool better = !worse && is_beyond(-1);
    if (worse || better) judged.reported = begin_level();
    judged.grew = worse && state_.open;
    if (worse) open(judged.reported->size);
    judged.builds = levels_.rows(Level::kNow).size();
    judged.state = state_.open         ? NightState::kRegression
                   : better            ? NightState::kImprovement
                   : judged.suspect    ? NightState::kSuspect
                   : judged.builds < 2 ? NightState::kNoVerdict
                                       : NightState::kOk;
    return judged;
  }

 private:
  // Worse by more than the margin; `sign` -1: better. For noisy launches the ranks need a smaller
  // error, because the shape of their noise is unknown.
  [[nodiscard]] bool is_beyond(double sign) const {
    const double surer = std::min(kNoisyRankError, rule_.error);
    const double rank_error = is_noisy(levels_.spread()) ? surer : rule_.error;
    return levels_.last({}, [&](const LevelComparison& comparison) {
      // Cheap test first: most values fail it, and a bound is expensive.
      if (sign * comparison.difference.value <= rule_.margin) return false;
      if (bound(comparison.difference, sign, rule_.error) <= rule_.margin) return false;
      const double ranks = levels_.ranks_low(comparison, sign, rank_error);
      return (std::isfinite(ranks) ? ranks : bound(comparison.difference, sign, surer)) >
             rule_.margin;
    }) > 0;
  }
  [[nodiscard]] static double bound(const Estimate& difference, double sign, double error) {
    const stats::Interval interval = verdict::interval(difference, error);
    return sign > 0 ? interval.low : -interval.high;
  }

  // On a fix, the level before continues with the builds that returned to it.
  bool close() {
    const double half = state_.open->size / 2;
    const std::size_t back =
        levels_.last(levels_.rows(Level::kBefore), [&](const LevelComparison& comparison) {
          if (-bound(comparison.difference, -1, rule_.error) >= half) return false;
          const double ranks = levels_.ranks_low(comparison, -1, rule_.error);
          return !std::isfinite(ranks) || -ranks < half;
        });
    if (back == 0) return false;
    const RowIndexes now = levels_.rows(Level::kNow);
    for (std::size_t i = 0; i + back < now.size(); ++i) state_.rows[now[i]].level = Level::kNone;
    for (BuildRow& row : state_.rows) {
      if (row.level == Level::kBefore) row.level = Level::kNow;
    }
    state_.open.reset();
    return true;
  }

  void open(double size) {
    if (!state_.open) state_.open.emplace();
    state_.open->size += size;
  }

  // The level begins at the likeliest build; the old one is the level before, if none is kept.
  Change begin_level() {
    const RowIndexes now = levels_.rows(Level::kNow);
    const std::vector<Estimate> rows = levels_.estimates(now);
    std::vector<verdict::Measured> seen;
    for (const Estimate& row : rows)
      seen.push_back({.value = row.value, .variance = row.variance, .place = seen.size()});
    // Not among the builds that define the level.
    const std::size_t least = rows.size() > kBase + kWindow ? kBase : 1;
    std::vector<double> logs(rows.size(), -std::numeric_limits<double>::infinity());
    for (std::size_t at = least; at < rows.size(); ++at)
      logs[at] = verdict::log_likelihood(seen, at);
    const verdict::Places places = verdict::likeliest(verdict::chances(std::move(logs)), kRange);
    const std::size_t best = std::max(places.best, least);
    const Estimate size = verdict::mean(std::span(rows).subspan(best)) -
                          verdict::mean(std::span(rows).first(std::min(best, kBase)));
    const stats::Interval range = verdict::interval(size, rule_.error);
    const auto row = [&](std::size_t place) -> const BuildRow& { return state_.rows[now[place]]; };
    Change change{.size = size.value,
                  .low = range.low,
                  .high = range.high,
                  .good = row(std::max(places.first, least) - 1).last_run,
                  .bad = row(std::max(places.last, best)).first_run,
                  .likely = row(best).first_run};
    const Level before = size.value > 0 && !state_.open ? Level::kBefore : Level::kNone;
    for (std::size_t i = 0; i < best; ++i) state_.rows[now[i]].level = before;
    return change;
  }

  // Relative to the level before, if an alert is open.
  void set_change(SeriesVerdict& judged) const {
    const bool open = state_.open && state_.open->can_be_measured;
    const RowIndexes before = open ? levels_.rows(Level::kBefore) : RowIndexes();
    (void)levels_.last(before, [&](const LevelComparison& comparison) {
      const stats::Interval range = verdict::interval(comparison.difference, rule_.error);
      judged.change = comparison.difference.value;
      judged.low = range.low;
      judged.high = range.high;
      return true;
    });
  }

  SeriesState& state_;
  const JudgeRule& rule_;
  Levels levels_;
};

std::vector<double> oriented(std::span<const double> pairs, const JudgeRule& rule) {
  std::vector<double> larger_is_worse(pairs.begin(), pairs.end());
  if (rule.larger_is_better) {
    for (double& pair : larger_is_worse) pair = -pair;
  }
  return larger_is_worse;
}

// All rows of a state are relative to one reference program and in one measure.
void restart_if_reference_changed(SeriesState& state, const Tonight& tonight, bool as_share) {
  if (state.reference != tonight.reference || state.as_share != as_share)
    begin_reference(state, tonight, as_share);
}

double deviation_of(SeriesState state, const Tonight& tonight, std::span<const double> pairs,
                    const JudgeRule& rule) {
  if (pairs.empty()) return 0;
  Judge series(state, rule);
  series.levels().take(tonight, oriented(pairs, rule));
  return series.deviation();
}

// If a series looked changed in its first pairs, drops these, because they selected it.
std::span<const double> counted(const SeriesState& state, const Tonight& tonight,
                                const SeriesPairs& pairs, const JudgeRule& rule) {
  const std::span<const double> all = pairs.pairs;
  if (all.size() <= pairs.first) return all;
  const bool suspect = deviation_of(state, tonight, all.first(pairs.first), rule) != 0;
  return suspect ? all.subspan(pairs.first) : all;
}

}  // namespace

bool is_noisy(double spread) { return spread / std::numbers::sqrt2 > kNoisyCv; }

double error_of(std::size_t series) {
  return kError * static_cast<double>(kManySeries) /
         static_cast<double>(std::max(series, kManySeries));
}

JudgeRule rule_of(const track::TrackedSeries& series, double margin, std::size_t judged_series) {
  return {.margin = margin,
          .larger_is_better = series.direction == Direction::kHigherIsBetter,
          .has_layout = series.unit != "bytes" && series.unit != "count",
          .error = error_of(judged_series)};
}

double deviation(SeriesState state, const Tonight& tonight, const SeriesPairs& pairs,
                 const JudgeRule& rule) {
  restart_if_reference_changed(state, tonight, pairs.as_share);
  const std::span<const double> of = counted(state, tonight, pairs, rule);
  return deviation_of(std::move(state), tonight, of, rule);
}

SeriesVerdict judge(SeriesState& state, const Tonight& tonight, const SeriesPairs& pairs,
                    const JudgeRule& rule) {
  restart_if_reference_changed(state, tonight, pairs.as_share);
  if (pairs.pairs.size() < kMinPairs) return {.state = NightState::kNoData};
  const std::span<const double> of = counted(state, tonight, pairs, rule);
  ++state.nights;
  state.run = tonight.run;
  state.run_utc = tonight.run_utc;
  state.environment = tonight.environment;
  state.reference_value = pairs.reference;
  Judge series(state, rule);
  series.levels().take(tonight, oriented(of, rule));
  SeriesVerdict judged = series.decide(of.size());
  series.levels().forget();
  return judged;
}

void begin_reference(SeriesState& state, const Tonight& tonight, bool as_share) {
  state.reference = tonight.reference;
  state.reference_run = tonight.reference_run;
  state.as_share = as_share;
  state.nights = 0;
  state.rows = {{.build = tonight.reference,
                 .first_run = tonight.reference_run,
                 .last_run = tonight.reference_run}};
  if (state.open) state.open->can_be_measured = false;
}

void accept(SeriesState& state) {
  state.open.reset();
  for (BuildRow& row : state.rows) {
    if (row.level == Level::kBefore) row.level = Level::kNone;
  }
}

}  // namespace stepbench::nights
