// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/tune/replay.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "harness/tune/internal/search.h"

namespace stepbench::tune {
namespace {

constexpr double kLaunchesOfSweep = 6;

class Replay {
 public:
  Replay(const RecordedGrid& grid, std::uint64_t seed) : grid_(grid), engine_(seed) {
    for (const RecordedRound& round : grid.rounds) {
      for (const RecordedLaunch& launch : round) {
        sweep_s_ += launch.wall_s * kLaunchesOfSweep / static_cast<double>(grid.rounds.size());
      }
    }
    next_round();
  }

  void next_round() { round_ = &grid_.rounds[engine_() % grid_.rounds.size()]; }

  double launch(std::size_t point) {
    const RecordedLaunch& launch = (*round_)[point];
    spent_s_ += launch.wall_s;
    return launch.step;
  }

  [[nodiscard]] bool has_room(std::size_t point, double budget) const {
    return (spent_s_ + (*round_)[point].wall_s) / sweep_s_ <= budget;
  }

  std::vector<std::size_t> shuffled_points() {
    std::vector<std::size_t> points(grid_.truth.size());
    std::iota(points.begin(), points.end(), std::size_t{0});
    std::shuffle(points.begin(), points.end(), engine_);
    return points;
  }

  [[nodiscard]] Replayed end(std::size_t winner) const {
    return {std::expm1(grid_.truth[winner]), spent_s_ / sweep_s_};
  }

 private:
  const RecordedGrid& grid_;
  std::mt19937_64 engine_;
  const RecordedRound* round_ = nullptr;
  double sweep_s_ = 0;
  double spent_s_ = 0;
};

// The plain measured values of each point.
class Means {
 public:
  explicit Means(std::size_t points) : sums_(points), counts_(points) {}
  void add(std::size_t point, double value) {
    sums_[point] += value;
    counts_[point] += 1;
  }
  [[nodiscard]] double of(std::size_t point) const {
    return counts_[point] > 0 ? sums_[point] / counts_[point] : HUGE_VAL;
  }
  [[nodiscard]] std::size_t best_of(const std::vector<std::size_t>& points) const {
    return *std::ranges::min_element(points, {}, [this](std::size_t point) { return of(point); });
  }

 private:
  std::vector<double> sums_;
  std::vector<double> counts_;
};

}  // namespace

Replayed replay_tune(const RecordedGrid& grid, std::uint64_t seed) {
  Replay replay(grid, seed);
  PointSearch search(grid.truth.size(), seed % grid.truth.size(), seed);
  std::set<std::size_t> round;
  while (const auto slot = search.next()) {
    if (slot->warm || !round.insert(slot->point).second) {
      replay.next_round();
      round = {slot->point};
    }
    search.take(replay.launch(slot->point));
  }
  return replay.end(search.standing().front().point);
}

Replayed replay_sweep(const RecordedGrid& grid, std::uint64_t seed) {
  Replay replay(grid, seed);
  Means means(grid.truth.size());
  const std::vector<std::size_t> all = replay.shuffled_points();
  for (int round = 0; round < static_cast<int>(kLaunchesOfSweep); ++round) {
    for (const std::size_t point : all) means.add(point, replay.launch(point));
    replay.next_round();
  }
  return replay.end(means.best_of(all));
}

Replayed replay_random(const RecordedGrid& grid, double budget, std::uint64_t seed) {
  Replay replay(grid, seed);
  Means means(grid.truth.size());
  for (;;) {
    const std::vector<std::size_t> order = replay.shuffled_points();
    for (const std::size_t point : order) {
      if (!replay.has_room(point, budget)) return replay.end(means.best_of(order));
      means.add(point, replay.launch(point));
    }
    replay.next_round();
  }
}

Replayed replay_plain_halving(const RecordedGrid& grid, double budget, std::uint64_t seed) {
  Replay replay(grid, seed);
  Means means(grid.truth.size());
  std::vector<std::size_t> left = replay.shuffled_points();
  while (left.size() > 1) {
    for (const std::size_t point : left) {
      if (!replay.has_room(point, budget)) return replay.end(means.best_of(left));
      means.add(point, replay.launch(point));
    }
    std::ranges::stable_sort(left, {}, [&](std::size_t point) { return means.of(point); });
    left.resize((left.size() + 1) / 2);
    replay.next_round();
  }
  return replay.end(left.front());
}

}  // namespace stepbench::tune
