// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/track/simulate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "harness/track/confirm_rule.h"
#include "harness/track/last_good.h"

namespace stepbench::testing_track {
namespace {

// Whether a confirmation finds it, once and with both programs linked anew.
class Machine : public SimulatedMachine {
 public:
  Machine(const World& world, std::uint64_t seed) : SimulatedMachine(world, seed), world_(world) {}

  struct Answers {
    bool once = false;
    bool twice = false;
  };
  // `good`, `tonight`: levels with the offsets of their builds. `true_good`, `true_tonight`:
  // without.
  Answers confirmed(double good, double tonight, double true_good, double true_tonight,
                    bool higher) {
    const double between = between_arms();
    if (!campaign(good, tonight + between, higher)) return {};
    if (!world_.second_draws_anew) {
      return {.once = true, .twice = campaign(good, tonight + between, higher)};
    }
    return {.once = true,
            .twice = campaign(true_good + offset_of_a_build(),
                              true_tonight + offset_of_a_build() + between_arms(), higher)};
  }

 private:
  bool campaign(double good, double tonight, bool higher) {
    const SimulatedPairs pairs = SimulatedMachine::campaign(good, tonight, track::kConfirmPairs);
    return track::confirm(pairs.good, pairs.tonight, higher).reproduced;
  }

  World world_;
};

// One series: its nights so far.
class Nights {
 public:
  Nights(Machine& machine, track::ScreenKind screen) : machine_(machine), options_{.kind = screen} {
    machine_.begin();
  }

  track::ScreenAnswer add(double level) {
    true_levels_.push_back(level);
    levels_.push_back(level + machine_.offset_of_a_build());
    values_.push_back(machine_.night(levels_.back()));
    return screen(values_, options_);
  }

  Machine::Answers confirmed(const track::ScreenAnswer& answer) {
    const std::optional<std::size_t> good = last_good(values_, options_, answer);
    return good ? against(*good, answer.higher) : Machine::Answers{};
  }

  Machine::Answers against(std::size_t good, bool higher) {
    return machine_.confirmed(levels_[good], levels_.back(), true_levels_[good],
                              true_levels_.back(), higher);
  }

  [[nodiscard]] std::span<const double> values() const { return values_; }

 private:
  Machine& machine_;
  track::ScreenOptions options_;
  std::vector<double> values_;
  std::vector<double> levels_;
  std::vector<double> true_levels_;
};

}  // namespace

double QuietNights::per_thousand(std::size_t count) const {
  return 1000 * static_cast<double>(count) / static_cast<double>(nights);
}

QuietNights quiet_nights(const World& world, track::ScreenKind screen, std::size_t series,
                         std::size_t nights_each, std::uint64_t seed) {
  Machine machine(world, seed);
  QuietNights quiet;
  for (std::size_t i = 0; i < series; ++i) {
    Nights nights(machine, screen);
    for (std::size_t night = 0; night < nights_each; ++night) {
      const track::ScreenAnswer answer = nights.add(0);
      if (answer.warming_up) continue;
      ++quiet.nights;
      if (!answer.fired()) continue;
      ++quiet.fired;
      const Machine::Answers answers = nights.confirmed(answer);
      if (answers.once) ++(answer.higher ? quiet.slower_once : quiet.faster_once);
      if (answers.twice) ++(answer.higher ? quiet.slower_twice : quiet.faster_twice);
    }
  }
  return quiet;
}

FoundSteps found_steps(const World& world, track::ScreenKind screen, double step,
                       std::size_t series, std::uint64_t seed) {
  constexpr std::uint32_t kFirstStep = 40;
  constexpr std::size_t kWatched = 10;
  Machine machine(world, seed);
  FoundSteps found;
  for (std::size_t i = 0; i < series; ++i) {
    Nights nights(machine, screen);
    const std::size_t before = kFirstStep + machine.below(20);
    for (std::size_t night = 0; night < before; ++night) (void)nights.add(0);
    std::size_t once = kNeverFound;
    std::size_t twice = kNeverFound;
    for (std::size_t night = 1; night <= kWatched && twice == kNeverFound; ++night) {
      const track::ScreenAnswer answer = nights.add(std::log1p(step));
      if (!answer.higher) continue;
      const Machine::Answers answers = nights.confirmed(answer);
      if (answers.once) once = std::min(once, night);
      if (answers.twice) twice = night;
    }
    found.once.push_back(once);
    found.twice.push_back(twice);
  }
  return found;
}

double share_within(const std::vector<std::size_t>& nights, std::size_t most) {
  const auto within =
      std::count_if(nights.begin(), nights.end(), [&](std::size_t n) { return n <= most; });
  return static_cast<double>(within) / static_cast<double>(nights.size());
}

std::size_t median_night(std::vector<std::size_t> nights) {
  std::sort(nights.begin(), nights.end());
  return nights[nights.size() / 2];
}

}  // namespace stepbench::testing_track
