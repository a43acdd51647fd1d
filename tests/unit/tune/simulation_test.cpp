// SPDX-License-Identifier: Apache-2.0
// The table of results/tune_simulation.md on fresh seeds: prints it, and holds it to what the page
// promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "tests/unit/tune/simulated.h"

namespace stepbench::tune {
namespace {

constexpr std::size_t kTrials = 2000;
constexpr std::size_t kWithBounds = 10;  // one trial of so many: the bound takes a while
constexpr double kRegret = 0.02;

enum class Kind { kGauss, kHeavy, kPlateau };

struct Row {
  double good = 0;  // share of trials with a regret of 2 % at most
  double regret = 0;
  double cost = 0;
  double bound = 0;  // median
  double held = 0;   // share of bounds that hold the regret
};

Row row_of(std::size_t points, double cv, Kind kind, std::mt19937_64& seeds) {
  Row row;
  std::vector<double> bounds;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    const Surface surface =
        kind == Kind::kPlateau ? draw_plateau(points, seeds) : draw_surface(points, seeds);
    const bool with_bounds = trial % kWithBounds == 0;
    const Searched searched =
        search(surface, {.cv = cv, .heavy_tails = kind == Kind::kHeavy}, seeds(), with_bounds);
    row.good += searched.regret <= kRegret ? 1 : 0;
    row.regret += searched.regret;
    row.cost += searched.cost;
    if (!with_bounds) continue;
    bounds.push_back(searched.bound_all);
    row.held += searched.regret <= searched.bound_all ? 1 : 0;
  }
  for (double* sum : {&row.good, &row.regret, &row.cost}) *sum /= static_cast<double>(kTrials);
  row.held /= static_cast<double>(bounds.size());
  std::sort(bounds.begin(), bounds.end());
  row.bound = bounds[bounds.size() / 2];
  return row;
}

struct Promise {
  std::size_t points;
  double cv;
  Kind kind;
  double good;  // at least: as the page says, less two points
  double cost;  // at most
};

TEST(TuneSimulation, FindsGoodSettingsAsOftenAsThePageSays) {
  std::mt19937_64 seeds(std::random_device{}());
  std::vector<Promise> promises;
  const auto add = [&](double cv, double cost, const std::vector<std::size_t>& points, double gauss,
                       double heavy, double plateau) {
    for (const std::size_t count : points) {
      promises.push_back({count, cv, Kind::kGauss, gauss, cost});
      promises.push_back({count, cv, Kind::kHeavy, heavy, cost});
      promises.push_back({count, cv, Kind::kPlateau, plateau, cost});
    }
  };
  add(0.01, 0.28, {12}, 0.97, 0.97, 0.98);
  add(0.03, 0.28, {12}, 0.90, 0.83, 0.96);
  add(0.01, 0.23, {24, 48, 96}, 0.98, 0.97, 0.98);
  add(0.03, 0.23, {24}, 0.91, 0.83, 0.96);
  add(0.03, 0.23, {48, 96}, 0.93, 0.83, 0.96);
  std::printf("points  CV  noise  regret <= 2 %%  mean regret  cost  bound  held\n");
  for (const Promise& promise : promises) {
    const Row row = row_of(promise.points, promise.cv, promise.kind, seeds);
    const char* noise = promise.kind == Kind::kGauss   ? "Gaussian"
                        : promise.kind == Kind::kHeavy ? "heavy tails"
                                                       : "plateau";
    std::printf("| %zu | %.0f %% | %s | %.1f | %.2f | %.1f | %.1f | %.1f |\n", promise.points,
                promise.cv * 100, noise, row.good * 100, row.regret * 100, row.cost * 100,
                row.bound * 100, row.held * 100);
    EXPECT_GE(row.good, promise.good) << promise.points << ' ' << promise.cv;
    EXPECT_LE(row.cost, promise.cost) << promise.points << ' ' << promise.cv;
    EXPECT_GE(row.held, 0.94);
  }
}

}  // namespace
}  // namespace stepbench::tune
