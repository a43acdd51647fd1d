// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/ranking.h"

#include <boost/math/distributions/fisher_f.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <variant>

#include "harness/stats/comparisons.h"

namespace stepbench::estimate {
namespace {

std::optional<double> work_per_step(const CaseRow& row, std::optional<double> CaseRow::*rate) {
  if (!row.step_ns || !(row.*rate)) return std::nullopt;
  return *(row.*rate) * *row.step_ns;
}

// True if all rows have the rate and their steps do different amounts of its work. The tolerance
// allows for a smaller last batch.
bool differs(std::span<const CaseRow> rows, std::optional<double> CaseRow::*rate) {
  constexpr double kSame = 0.01;
  std::vector<double> work;
  for (const CaseRow& row : rows) {
    if (!can_be_ranked(row)) continue;
    const auto of_row = work_per_step(row, rate);
    if (!of_row) return false;
    work.push_back(*of_row);
  }
  if (work.empty()) return false;
  const auto [least, most] = std::minmax_element(work.begin(), work.end());
  return *most > *least * (1 + kSame);
}

// Cost of each launch: nanoseconds, per unit of work if judged by a rate.
std::vector<double> launch_costs(const CaseRow& row, Judged by) {
  const double work = is_rate(by) ? judged_value(row, by)->centre * *row.step_ns : 1;
  std::vector<double> costs;
  for (const auto& [launch, estimate] : row.measured) {
    costs.push_back(headline_ns(estimate, row.clock) / work);
  }
  return costs;
}

std::optional<Ratio> ratio_of(const CaseRow& row, const CaseRow& to, Judged by) {
  const auto a = judged_value(row, by);
  const auto b = judged_value(to, by);
  if (!a || !b || !(b->centre > 0)) return std::nullopt;
  Ratio ratio{.value = a->centre / b->centre};
  const bool intervals =
      a->spread == Spread::kOverLaunches && b->spread == Spread::kOverLaunches && &row != &to;
  if (intervals && b->interval.low > 0) {
    ratio.interval = {a->interval.low / b->interval.high, a->interval.high / b->interval.low};
  }
  return ratio;
}

}  // namespace

bool can_be_ranked(const CaseRow& row) {
  return row.headline_ns() && !row.smoke && row.pass == Pass::kTiming && row.arm.empty() &&
         !is_standalone(row);
}

bool is_rate(Judged by) { return by != Judged::kStep && by != Judged::kLatency; }

RateUnit rate_unit(Judged by) {
  switch (by) {
    case Judged::kSamplesRate:
      return {1, "samples/s"};
    case Judged::kTokensRate:
      return {1, "tokens/s"};
    case Judged::kBytesRate:
      return {1e9, "GB/s"};
    default:
      return {};
  }
}

std::optional<Judged> judged_by(std::span<const CaseRow> rows) {
  std::size_t numbers = 0;
  std::size_t latencies = 0;
  for (const CaseRow& row : rows) {
    if (!can_be_ranked(row)) continue;
    ++numbers;
    if (row.latency_ns) ++latencies;
  }
  if (numbers == 0 || (latencies > 0 && latencies < numbers)) return std::nullopt;
  if (latencies > 0) return Judged::kLatency;
  if (differs(rows, &CaseRow::tokens_per_s)) return Judged::kTokensRate;
  if (differs(rows, &CaseRow::samples_per_s)) return Judged::kSamplesRate;
  if (differs(rows, &CaseRow::bytes_per_s)) return Judged::kBytesRate;
  return Judged::kStep;
}

std::optional<JudgedValue> judged_value(const CaseRow& row, Judged by) {
  if (!is_rate(by)) {
    const auto time = by == Judged::kLatency ? row.latency_ns : row.step_ns;
    if (!time) return std::nullopt;
    return JudgedValue{*time, row.spread, row.interval_ns};
  }
  const auto rate = by == Judged::kTokensRate  ? row.tokens_per_s
                    : by == Judged::kBytesRate ? row.bytes_per_s
                                               : row.samples_per_s;
  if (!rate || !row.step_ns) return std::nullopt;
  JudgedValue value{*rate, row.spread, {}};
  const double work = *rate * *row.step_ns;
  if (row.latency_ns) value.spread = Spread::kNone;  // its interval refers to the latency
  if (value.spread != Spread::kNone) {
    value.interval = {work / row.interval_ns.high, work / row.interval_ns.low};
  }
  return value;
}

std::optional<Ratio> speed_up(const CaseRow& row, const CaseRow& over, Judged by) {
  return is_rate(by) ? ratio_of(row, over, by) : ratio_of(over, row, by);
}

Difference difference_between(const CaseRow& row, const CaseRow& from, Judged by) {
  constexpr double kNoiseOfOneLaunch = 0.05;
  constexpr double kConfidence = 0.99;
  const auto ratio = speed_up(row, from, by);
  if (!ratio) return Difference::kNoNumbers;
  if (ratio->interval) {
    if (ratio->interval->low > 1) return Difference::kBetter;
    return ratio->interval->high < 1 ? Difference::kWorse : Difference::kSame;
  }
  if (row.measured.size() < 2 || from.measured.size() < 2) {
    if (std::abs(ratio->value - 1) < kNoiseOfOneLaunch) return Difference::kSame;
    return ratio->value > 1 ? Difference::kBetter : Difference::kWorse;
  }
  const stats::Interval costs =
      stats::mean_ratio(launch_costs(from, by), launch_costs(row, by), kConfidence).interval;
  if (costs.high < 1 && ratio->value > 1) return Difference::kBetter;
  return costs.low > 1 && ratio->value < 1 ? Difference::kWorse : Difference::kSame;
}

std::optional<Ranking> rank(std::span<const CaseRow> rows) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (can_be_ranked(rows[i])) order.push_back(i);
  }
  const auto by = judged_by(rows);
  if (!by || order.size() < 2) return std::nullopt;
  const auto centre = [&](std::size_t i) { return judged_value(rows[i], *by)->centre; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return is_rate(*by) ? centre(a) > centre(b) : centre(a) < centre(b);
  });
  Ranking ranking{.by = *by, .best = order[0], .next = order[1]};
  const JudgedValue best = *judged_value(rows[ranking.best], *by);
  const JudgedValue next = *judged_value(rows[ranking.next], *by);
  ranking.decided =
      best.spread == Spread::kOverLaunches &&
      (next.spread == Spread::kOverLaunches ||
       (next.spread == Spread::kRange && stats::overlap(next.interval, best.interval)));
  if (!ranking.decided) return ranking;
  for (const std::size_t i : std::span(order).subspan(1)) {
    const JudgedValue other = *judged_value(rows[i], *by);
    if (other.spread != Spread::kNone && stats::overlap(other.interval, best.interval)) {
      ranking.ties.push_back(i);
    }
  }
  ranking.all_tie = ranking.ties.size() + 1 == order.size();
  return ranking;
}

namespace {

constexpr std::size_t kMinBoundedRounds = 6;

// Only for rows of one run, whose launches took turns.
void bound_by_best(std::span<CaseRow> rows) {
  const auto by = judged_by(rows);
  if (!by) return;
  std::vector<CaseRow*> bounded;
  std::vector<std::vector<RoundTime>> cases;
  for (CaseRow& row : rows) {
    const auto value = judged_value(row, *by);
    if (!can_be_ranked(row) || !value || row.measured.size() < kMinBoundedRounds) continue;
    if (!bounded.empty() && bounded.front()->run_id != row.run_id) return;
    const std::vector<double> costs = launch_costs(row, *by);
    std::vector<RoundTime>& times = cases.emplace_back();
    for (std::size_t i = 0; i < costs.size(); ++i) {
      times.push_back({row.measured[i].launch->row.key.launch, std::log(costs[i])});
    }
    bounded.push_back(&row);
  }
  const std::vector<double> bounds = best_bounds(cases);
  for (std::size_t i = 0; i < bounds.size(); ++i) bounded[i]->at_most_slower = bounds[i];
}

}  // namespace

void compare_with_best(std::span<CaseRow> rows) {
  const auto ranking = rank(rows);
  if (!ranking) return;
  for (CaseRow& row : rows) {
    if (!can_be_ranked(row)) continue;
    if (const auto ratio = speed_up(row, rows[ranking->best], ranking->by)) {
      row.vs_best = ratio->value;
    }
  }
  if (!ranking->decided || ranking->all_tie) return;
  rows[ranking->best].is_best = true;
  for (const std::size_t i : ranking->ties) rows[i].is_best = true;
  bound_by_best(rows);
}

namespace {

constexpr std::size_t kMinRounds = 6;

// A case with the effects of the rounds removed.
struct Level {
  double mean = 0;
  double launches = 0;
  double squares = 0;  // sum of squares about the mean
  double variance = 0;
  double degrees = 0;
  bool own = false;  // uses its own variance instead of the common one

  [[nodiscard]] double of_mean() const { return variance / launches; }
};

// Fits additive effects of cases and rounds by alternating least squares. With no launch missing,
// the first iteration is exact.
std::vector<Level> fitted(std::span<const std::vector<RoundTime>> cases, std::size_t& rounds) {
  constexpr int kTurns = 30;
  struct Round {
    double effect = 0;
    double sum = 0;
    double launches = 0;
  };
  std::map<int, Round> effects;
  std::vector<Level> levels(cases.size());
  for (int turn = 0; turn < kTurns; ++turn) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      double sum = 0;
      for (const RoundTime& each : cases[i]) sum += each.log_time - effects[each.round].effect;
      levels[i].launches = static_cast<double>(cases[i].size());
      levels[i].mean = sum / levels[i].launches;
    }
    for (auto& [number, round] : effects) round.sum = round.launches = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      for (const RoundTime& each : cases[i]) {
        Round& round = effects[each.round];
        round.sum += each.log_time - levels[i].mean;
        round.launches += 1;
      }
    }
    for (auto& [number, round] : effects) round.effect = round.sum / round.launches;
  }
  rounds = effects.size();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const RoundTime& each : cases[i]) {
      const double rest = each.log_time - effects[each.round].effect - levels[i].mean;
      levels[i].squares += rest * rest;
    }
  }
  return levels;
}

struct Pool {
  double squares = 0;
  double degrees = 0;
  [[nodiscard]] double variance() const { return degrees > 0 ? squares / degrees : 0; }
};

// Pools the variances. Cases whose variance exceeds the pool's beyond chance are removed one by
// one, largest first, and keep their own variance.
Pool common_spread(std::vector<Level>& levels, std::size_t rounds) {
  constexpr double kByChance = 0.01;
  // Each case gives up its share of the rounds' degrees of freedom.
  const double share = 1 - 1 / static_cast<double>(levels.size());
  std::vector<Level*> order;
  Pool pool;
  for (Level& level : levels) {
    level.degrees = (level.launches - 1) * share;
    level.variance = level.squares / level.degrees;
    pool.squares += level.squares;
    pool.degrees += level.launches;
    order.push_back(&level);
  }
  pool.degrees -= static_cast<double>(levels.size() + rounds - 1);
  std::sort(order.begin(), order.end(),
            [](const Level* a, const Level* b) { return a->variance > b->variance; });
  const double by_chance = kByChance / static_cast<double>(levels.size());
  for (Level* most : order) {
    const Pool others{pool.squares - most->squares, pool.degrees - most->degrees};
    if (levels.size() < 3 || others.degrees < most->degrees || !(others.variance() > 0)) break;
    const boost::math::fisher_f ratio(most->degrees, others.degrees);
    const double limit = boost::math::quantile(boost::math::complement(ratio, by_chance));
    if (most->variance / others.variance() <= limit) break;
    most->own = true;
    pool = others;
  }
  for (Level& level : levels) {
    if (level.own) continue;
    level.variance = pool.variance();
    level.degrees = pool.degrees;
  }
  return pool;
}

// Returns the cases that can set the bound of another: of the cases with the common spread, the two
// fastest per number of launches, since one of the two may be the case itself; and all cases with a
// spread of their own.
std::vector<const Level*> rivals(const std::vector<Level>& levels) {
  std::map<double, std::vector<const Level*>> fastest;
  std::vector<const Level*> all;
  for (const Level& level : levels) {
    if (level.own) {
      all.push_back(&level);
      continue;
    }
    std::vector<const Level*>& two = fastest[level.launches];
    two.push_back(&level);
    std::sort(two.begin(), two.end(),
              [](const Level* a, const Level* b) { return a->mean < b->mean; });
    if (two.size() > 2) two.pop_back();
  }
  for (const auto& [launches, two] : fastest) all.insert(all.end(), two.begin(), two.end());
  return all;
}

// Caches Dunnett's critical value by degrees of freedom.
class Critical {
 public:
  Critical(std::size_t comparisons, double confidence)
      : comparisons_(comparisons), confidence_(confidence) {}

  double operator()(double degrees) {
    const auto [found, is_new] = values_.try_emplace(std::max(degrees, 1.0), 0);
    if (is_new) {
      found->second = stats::dunnett_one_sided(comparisons_, found->first, confidence_);
    }
    return found->second;
  }

 private:
  std::size_t comparisons_;
  double confidence_;
  std::map<double, double> values_;
};

}  // namespace

std::vector<double> best_bounds(std::span<const std::vector<RoundTime>> cases, double confidence) {
  if (cases.size() < 2) return {};
  for (const std::vector<RoundTime>& each : cases) {
    if (each.size() < kMinRounds) return {};
  }
  std::size_t rounds = 0;
  std::vector<Level> levels = fitted(cases, rounds);
  const Pool pool = common_spread(levels, rounds);
  if (!(pool.degrees >= 1)) return {};
  Critical critical(cases.size() - 1, confidence);
  std::vector<double> bounds;
  const std::vector<const Level*> others = rivals(levels);
  for (const Level& level : levels) {
    double bound = 0;
    for (const Level* other : others) {
      if (&level == other) continue;
      const double slower = level.mean - other->mean;
      const double t = critical(std::min(level.degrees, other->degrees));
      bound = std::max(bound, slower + t * std::sqrt(level.of_mean() + other->of_mean()));
    }
    bounds.push_back(std::expm1(bound));
  }
  return bounds;
}

namespace {

constexpr std::string_view kAlone = "loader.alone";

bool is_set(const CaseRow& row, std::string_view option) {
  const Value* value = row.option(option);
  return value != nullptr && !is_null(*value) && *value != Value{std::string("none")};
}

// Key of the case whose part is measured alone. Excludes the warm-up, which is raised when batches
// are kept.
std::string case_key(const CaseRow& row, std::string_view part) {
  std::string key = std::string(part) + '\n' + row.workload;
  std::map<std::string_view, const Value*> options;
  for (const auto& [name, value] : row.options()) {
    if (!is_null(value) && name != kAlone && name != "schedule.warmup") options[name] = &value;
  }
  for (const auto& [name, value] : options) {
    key.append("\n").append(name).append("=").append(to_text(*value));
  }
  return key;
}

}  // namespace

bool is_standalone(const CaseRow& row) {
  return is_set(row, kAlone) || is_set(row, "loader.replay");
}

bool is_timed(const CaseRow& row) {
  return row.step_ns && !row.smoke && row.pass == Pass::kTiming && row.arm.empty();
}

StandaloneCases::StandaloneCases(const std::vector<CaseRow>& rows) {
  for (const CaseRow& row : rows) {
    const Value* value = row.option(kAlone);
    const std::string* part = value == nullptr ? nullptr : std::get_if<std::string>(value);
    if (part != nullptr && is_timed(row)) by_case_.emplace(case_key(row, *part), &row);
  }
}

const CaseRow* StandaloneCases::find(const CaseRow& both, std::string_view part) const {
  if (by_case_.empty()) return nullptr;
  const auto found = by_case_.find(case_key(both, part));
  return found == by_case_.end() ? nullptr : found->second;
}

}  // namespace stepbench::estimate
