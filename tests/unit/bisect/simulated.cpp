// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/bisect/simulated.h"

#include <random>

namespace stepbench::bisect {
namespace {

constexpr std::size_t kMostTried = 80;  // pairs of a step

class Machine {
 public:
  Machine(const World& world, std::uint64_t seed) : world_(world), engine_(seed) {
    double level = 0;
    for (const double step : world.steps) levels_.push_back(level += step);
  }

  double pair(const SearchStep& step) {
    return level_of(step.place, step.place_build) - level_of(step.base, step.base_build) + noise() -
           noise();
  }
  bool is_lost() { return std::bernoulli_distribution(world_.lost)(engine_); }
  [[nodiscard]] std::size_t builds() const { return layouts_.size(); }

 private:
  double noise() { return world_.cv * (world_.heavy_tails ? tails_(engine_) : normal_(engine_)); }
  double level_of(std::size_t place, std::size_t build) {
    const auto [known, is_new] = layouts_.try_emplace({place, build});
    if (is_new) known->second = world_.layout * normal_(engine_);
    return levels_[place] + known->second;
  }

  const World& world_;
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::student_t_distribution<double> tails_{3};
  std::vector<double> levels_;
  std::map<std::pair<std::size_t, std::size_t>, double> layouts_;
};

}  // namespace

World one_step(std::size_t commits, std::size_t place, double step, double cv) {
  World world{.steps = std::vector<double>(commits + 1), .cv = cv};
  world.steps[place] = step;
  return world;
}

Lived live(const World& world, SearchSetup setup, std::uint64_t seed, std::size_t expected) {
  Machine machine(world, seed);
  setup.last = world.steps.size() - 1;
  Search search(std::move(setup));
  Lived lived;
  while (const auto step = search.next()) {
    lived.steps.push_back(*step);
    if (world.broken.contains(step->place) || world.broken.contains(step->base)) {
      search.skip(world.broken.contains(step->place) ? step->place : step->base);
      continue;
    }
    std::vector<double> pairs;
    for (std::size_t tried = 0; tried < kMostTried; tried += 2) {
      for (int i = 0; i < 2; ++i) {
        if (!machine.is_lost()) pairs.push_back(machine.pair(*step));
        lived.launches += 2;
      }
      if (search.is_enough(*step, pairs)) break;
    }
    search.take(*step, pairs);
    if (lived.steps.size() == 1 && expected > 0) search.expect(expected);
  }
  static_cast<SearchResult&>(lived) = search.result();
  lived.builds = machine.builds();
  return lived;
}

Lived live(const World& world, std::uint64_t seed) { return live(world, {}, seed); }

}  // namespace stepbench::bisect
