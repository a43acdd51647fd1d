// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/best_bound.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <map>

#include "harness/stats/dunnett.h"

namespace stepbench::estimate {
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

}  // namespace stepbench::estimate
