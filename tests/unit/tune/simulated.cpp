// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/tune/simulated.h"

#include "harness/tune/internal/search.h"

namespace stepbench::tune {
namespace {

double between(double low, double high, std::mt19937_64& engine) {
  return std::uniform_real_distribution<>(low, high)(engine);
}

class Machine {
 public:
  Machine(const Surface& surface, const Conditions& conditions, std::uint64_t seed)
      : surface_(surface), conditions_(conditions), engine_(seed) {
    for (std::size_t i = 0; i < surface.log_values.size(); ++i) {
      own_first_.push_back(between(0, std::max(conditions.own_first, 1e-12), engine_));
    }
  }

  double launch(std::size_t point) {
    level_ += conditions_.drift * normal_(engine_);
    double value = surface_.log_values[point] + level_ + conditions_.cv * noise();
    if (launches_ < conditions_.first.size()) value += std::log1p(conditions_.first[launches_]);
    ++launches_;
    return value + std::log1p(std::exchange(own_first_[point], 0));
  }

 private:
  double noise() {
    if (!conditions_.drawn.empty()) return conditions_.drawn[engine_() % conditions_.drawn.size()];
    return conditions_.heavy_tails ? tails_(engine_) : normal_(engine_);
  }

  const Surface& surface_;
  const Conditions& conditions_;
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::student_t_distribution<double> tails_{3};
  std::vector<double> own_first_;
  std::size_t launches_ = 0;
  double level_ = 0;
};

}  // namespace

Surface draw_surface(std::size_t points, std::mt19937_64& engine) {
  const std::size_t other = points % 6 == 0 ? 6 : 4;  // prefetch and pin
  const std::size_t workers = points / other;
  const double batch = between(0.5, 8, engine);  // of one worker, relative to the step's own time
  const double contention = between(0, 0.15, engine);
  const double cores = between(2, 2.0 * static_cast<double>(workers), engine);
  const double disk = between(0, 1.5, engine);
  std::vector<double> effects(other);
  for (double& effect : effects) effect = between(0, 0.12, engine);
  Surface surface;
  for (std::size_t w = 0; w < workers; ++w) {
    const double count = static_cast<double>(w) + 1;
    const double busy = std::max(0.0, count - cores);
    const double loading = batch / std::min(count, cores) * (1 + contention * busy);
    const double step = std::max({1.0 + 0.02 * contention * count, loading, disk});
    for (const double effect : effects) {
      const double own = between(-0.01, 0.01, engine);
      surface.log_values.push_back(std::log(step * (1 + effect + own)));
    }
  }
  return surface;
}

Surface draw_plateau(std::size_t points, std::mt19937_64& engine) {
  Surface surface;
  for (std::size_t i = 0; i < points; ++i) {
    surface.log_values.push_back(i % 2 == 0 ? 0 : between(0.02, 0.5, engine));
  }
  return surface;
}

Searched search(const Surface& surface, const Conditions& conditions, std::uint64_t seed) {
  const std::size_t points = surface.log_values.size();
  Machine machine(surface, conditions, seed);
  PointSearch search(points, seed % points, seed);
  Searched searched;
  double all = 0;
  for (const double value : surface.log_values) all += 6 * std::exp(value);
  while (const auto slot = search.next()) {
    searched.cost += std::exp(surface.log_values[slot->point]) / all;
    search.take(machine.launch(slot->point));
  }
  const double best = *std::ranges::min_element(surface.log_values);
  searched.regret = std::expm1(surface.log_values[search.standing().front().point] - best);
  searched.bound = search.bound()->regret;
  return searched;
}

}  // namespace stepbench::tune
