// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/bisect/simulated.h"

#include <cmath>
#include <random>

namespace stepbench::bisect {
namespace {

class Machine {
 public:
  Machine(const World& world, std::uint64_t seed) : world_(world), engine_(seed) {
    double level = 0;
    for (std::size_t place = 0; place <= world.commits; ++place) {
      level += place < world.steps.size() ? world.steps[place] : 0;
      levels_.push_back(level + world.layout * normal_(engine_));
    }
  }

  // At other addresses the constant of the layout is another.
  void link_anew(std::size_t place) {
    if (world_.layout > 0) levels_[place] += world_.layout * normal_(engine_);
  }

  double pair(const SearchStep& step) {
    return levels_[step.candidate] - levels_[step.base] + noise() - noise();
  }

 private:
  double noise() { return world_.cv * (world_.heavy_tails ? tails_(engine_) : normal_(engine_)); }

  const World& world_;
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::student_t_distribution<double> tails_{3};
  std::vector<double> levels_;
};

}  // namespace

World one_step(std::size_t commits, std::size_t place, double step, double cv) {
  World world{.commits = commits, .steps = std::vector<double>(commits + 1), .cv = cv};
  world.steps[place] = step;
  return world;
}

Lived live(const World& world, double confidence, std::uint64_t seed) {
  Machine machine(world, seed);
  Bisection bisection(world.commits, confidence);
  Lived lived;
  while (const auto step = bisection.next()) {
    if (step->kind == SearchStep::Kind::kCommit) {
      ++lived.commits_judged;
      if (world.broken.contains(step->candidate)) {
        bisection.leave_out();
        continue;
      }
    }
    if (step->kind == SearchStep::Kind::kCulprit) {
      machine.link_anew(step->base);
      machine.link_anew(step->candidate);
    }
    std::vector<double> ratios;
    while (ratios.size() < kMostPairs) {
      for (std::size_t i = 0; i < kPairsOfBlock; ++i) ratios.push_back(machine.pair(*step));
      if (bisection.is_enough(ratios)) break;
    }
    lived.launches += 2 * ratios.size();
    bisection.take(ratios);
  }
  lived.answer = bisection.answer();
  lived.good = bisection.good();
  lived.bad = bisection.bad();
  lived.rest = bisection.rest();
  return lived;
}

}  // namespace stepbench::bisect
