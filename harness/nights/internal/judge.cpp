// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "harness/nights/internal/pairs.h"
#include "harness/stats/comparisons.h"
#include "harness/verdict/pairs.h"

namespace stepbench::nights {
namespace {

using verdict::Estimate;

constexpr double kRange = .99;
constexpr std::size_t kSurePairs = 6;  // fewer of tonight's build decide nothing, as in `ab`
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

  // `first_only`: the budget or a signal left no fresh pairs.
  SeriesVerdict decide(std::size_t pairs, bool first_only) {
    SeriesVerdict judged{.suspect = deviation() != 0,
                         .pairs = pairs,
                         .layout = levels_.layout(),
                         .spread = levels_.spread()};
    set_change(judged);
    if (judged.suspect && first_only && state_.rows.back().count < kSurePairs) {
      judged.builds = levels_.rows(Level::kNow).size();
      judged.state = state_.open ? NightState::kRegression : NightState::kSuspect;
      return judged;
    }
    if (is_gain_lost()) {
      judged.suspect = deviation() != 0;
      set_change(judged);
    }
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
    return_to_before();
    state_.open.reset();
    return true;
  }

  // A gain of one build that the next ones do not have was its layout: the level before continues.
  bool is_gain_lost() {
    const RowIndexes now = levels_.rows(Level::kNow);
    if (state_.open || now.size() < 2 || levels_.rows(Level::kBefore).empty()) return false;
    if (now.size() > kWindow + 1) {
      accept(state_);  // it is a level
      return false;
    }
    if (!is_beyond(1) || places(levels_.estimates(now)).best != 1) return false;
    state_.rows[now.front()].level = Level::kNone;
    return_to_before();
    return true;
  }

  void return_to_before() {
    for (BuildRow& row : state_.rows) {
      if (row.level == Level::kBefore) row.level = Level::kNow;
    }
  }

  void open(double size) {
    if (!state_.open) state_.open.emplace();
    state_.open->size += size;
  }

  // The places where the level changed, at the second build or later.
  static verdict::Places places(const std::vector<Estimate>& rows) {
    std::vector<verdict::Measured> seen;
    for (const Estimate& row : rows)
      seen.push_back({.value = row.value, .variance = row.variance, .place = seen.size()});
    // Not among the builds that define the level.
    const std::size_t least = rows.size() > kBase + kWindow ? kBase : 1;
    std::vector<double> logs(rows.size(), -std::numeric_limits<double>::infinity());
    for (std::size_t at = least; at < rows.size(); ++at)
      logs[at] = verdict::log_likelihood(seen, at);
    verdict::Places places = verdict::likeliest(verdict::chances(std::move(logs)), kRange);
    places.first = std::max(places.first, least);
    places.best = std::max(places.best, least);
    places.last = std::max(places.last, places.best);
    return places;
  }

  // The level begins at the likeliest build, or at the first one after it that was measured well
  // enough to set a level; the old one is the level before, if none is kept.
  Change begin_level() {
    const RowIndexes now = levels_.rows(Level::kNow);
    const std::vector<Estimate> rows = levels_.estimates(now);
    const verdict::Places change = places(rows);
    const std::size_t best = change.best;
    const auto row = [&](std::size_t place) -> BuildRow& { return state_.rows[now[place]]; };
    std::size_t begin = best;
    while (begin + 1 < rows.size() && row(begin).count < kSurePairs) ++begin;
    const Estimate size = verdict::mean(std::span(rows).subspan(begin)) -
                          verdict::mean(std::span(rows).first(std::min(best, kBase)));
    const stats::Interval range = verdict::interval(size, rule_.error);
    Change reported{.size = size.value,
                    .low = range.low,
                    .high = range.high,
                    .good = row(change.first - 1).last_run,
                    .bad = row(change.last).first_run,
                    .likely = row(best).first_run};
    if (!state_.open) accept(state_);  // the level before an earlier gain is over
    const Level before = state_.open ? Level::kNone : Level::kBefore;
    for (std::size_t i = 0; i < begin; ++i) row(i).level = i < best ? before : Level::kNone;
    return reported;
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

JudgeRule rule_of(const TrackedSeries& series, double margin, std::size_t judged_series) {
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
  SeriesVerdict judged = series.decide(of.size(), pairs.pairs.size() <= pairs.first);
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

namespace {

using verdict::Estimate;

constexpr std::size_t kKeptBuilds = 60;  // builds kept beyond those that define levels
constexpr std::size_t kSpreadBuilds = 30;
constexpr std::size_t kLayoutBuilds = 10;  // fewer do not suffice to estimate the layout
constexpr int kLayoutNights = 90;
constexpr double kLayoutWorth = 20;  // weight of the assumed layout, in builds
constexpr int kForgotten = -1;
// A build whose pairs spread by more than this, relative to those of other builds, has its own
// error: half of its launches may have been disturbed. A single wild pair does not widen it.
constexpr double kWide = 2;

}  // namespace

double spread_of(const BuildRow& row) {
  const verdict::Pairs pairs(row.pairs);
  return rounded_pair(verdict::spread({&pairs, 1}, {&row.centre, 1}).sd);
}

void Levels::take(const Tonight& tonight, const std::vector<double>& pairs) {
  std::vector<BuildRow>& rows = state_.rows;
  const auto known = std::find_if(rows.begin(), rows.end(), [&](const BuildRow& row) {
    return row.build == tonight.build && row.count > 0;
  });
  BuildRow row{.build = tonight.build, .first_run = tonight.run};
  if (known != rows.end()) {
    if (known + 1 == rows.end() && known->level == Level::kNow) row.first_run = known->first_run;
    row.pairs = known->pairs;
    rows.erase(known);
  }
  row.last_run = tonight.run;
  row.night = state_.nights;
  row.pairs.insert(row.pairs.end(), pairs.begin(), pairs.end());
  if (row.pairs.size() > kMaxPairs) row.pairs.erase(row.pairs.begin(), row.pairs.end() - kMaxPairs);
  row.count = row.pairs.size();
  row.centre = stats::hodges_lehmann(row.pairs, 0).centre;
  row.spread = spread_of(row);
  rows.push_back(std::move(row));
  learn();
}

void Levels::forget() {
  std::vector<BuildRow>& rows = state_.rows;
  for (const Level one : {Level::kNow, Level::kBefore, Level::kNone}) {
    const std::vector<std::size_t> of = this->rows(one);
    const std::size_t first = one == Level::kNone ? 0 : kBase;
    const std::size_t last = one == Level::kBefore ? kBase : kKeptBuilds;
    for (std::size_t i = first; i + last < of.size(); ++i) rows[of[i]].night = kForgotten;
  }
  std::erase_if(rows, [](const BuildRow& row) { return row.night == kForgotten; });
  std::size_t of_level = 0;
  for (std::size_t i = 0; i + kSpreadBuilds < rows.size(); ++i) {
    const bool begins = rows[i].level == Level::kNow && ++of_level <= kBase;
    if (!begins) rows[i].pairs.clear();
  }
}

RowIndexes Levels::rows(Level level) const {
  RowIndexes of;
  for (std::size_t i = 0; i < state_.rows.size(); ++i) {
    if (state_.rows[i].level == level) of.push_back(i);
  }
  return of;
}

double Levels::launches(const BuildRow& row) const {
  const auto n = static_cast<double>(row.count);
  if (n == 0) return 0;
  const bool measured_further = &row == &state_.rows.back() && row.count < kSurePairs;
  if (measured_further || row.spread <= kWide * spread_.sd) return verdict::variance(spread_, n);
  // With few pairs their spread is itself uncertain: the variance of Student's t.
  return verdict::variance({row.spread, n - 1}, n) * (n - 1) / std::max(1.0, n - 3);
}

std::vector<Estimate> Levels::estimates(std::span<const std::size_t> rows) const {
  std::vector<Estimate> of;
  for (const std::size_t i : rows) {
    const BuildRow& row = state_.rows[i];
    of.push_back({row.centre, launches(row) + layout_ * layout_, spread_.freedom});
  }
  return of;
}

LevelComparison Levels::comparison(std::span<const std::size_t> latest,
                                   std::span<const std::size_t> usual) const {
  return {verdict::mean(estimates(latest)) - verdict::mean(estimates(usual)), latest, usual};
}

double Levels::ranks_low(const LevelComparison& comparison, double sign, double error) const {
  const std::vector<double> latest = pairs_of(comparison.latest, sign);
  const std::vector<double> usual = pairs_of(comparison.usual, sign);
  return usual.empty() ? stats::hodges_lehmann(latest, 1 - 2 * error).interval.low
                       : stats::hodges_lehmann(usual, latest, 1 - 2 * error).interval.low;
}
std::vector<double> Levels::pairs_of(std::span<const std::size_t> rows, double sign) const {
  std::vector<double> pairs;
  for (const std::size_t i : rows) {
    for (const double pair : state_.rows[i].pairs) pairs.push_back(sign * pair);
  }
  return pairs;
}

void Levels::learn() {
  const std::vector<BuildRow>& rows = state_.rows;
  std::vector<verdict::Pairs> blocks;
  std::vector<double> centres;
  for (std::size_t i = rows.size() - std::min(rows.size(), kSpreadBuilds); i < rows.size(); ++i) {
    blocks.emplace_back(rows[i].pairs);
    centres.push_back(rows[i].centre);
  }
  spread_ = verdict::spread(blocks, centres);
  std::vector<Estimate> measured;
  for (const BuildRow& row : rows) {
    if (row.count == 0 || row.night <= state_.nights - kLayoutNights) continue;
    measured.push_back(
        {row.centre, verdict::variance(spread_, static_cast<double>(row.count)), spread_.freedom});
  }
  const double assumed = rule_.has_layout ? kLayout : 0;
  layout_ = measured.size() >= kLayoutBuilds ? verdict::layout(measured, assumed, kLayoutWorth)
                                             : verdict::layout({}, assumed, kLayoutWorth);
}

}  // namespace stepbench::nights
