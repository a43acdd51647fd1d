// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/track/simulate.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include "harness/stats/random.h"
#include "harness/track/confirm_rule.h"
#include "harness/track/creep.h"
#include "harness/track/last_good.h"

namespace stepbench::testing_track {
namespace {

constexpr double kSpread = 0.01;
constexpr double kWalk = 0.003;

class Machine {
 public:
  Machine(const World& world, std::uint64_t seed) : world_(world), random_(seed) {}

  // Before the first night of a series.
  void begin() { state_ = normal(); }

  double offset_of_a_build() {
    return world_.layout == Layout::kOfBuilds ? world_.layout_sd * normal() : 0;
  }

  // A night's point; `level` as a logarithm.
  double night(double level) { return 1e6 * std::exp(level + kSpread * night_noise()); }

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

  std::size_t below(std::uint32_t bound) { return random_.below(bound); }

 private:
  double between_arms() {
    return world_.layout == Layout::kBetweenArms ? world_.layout_sd * normal() : 0;
  }

  bool campaign(double good, double tonight, bool higher) {
    std::array<double, track::kConfirmPairs> of_good{};
    std::array<double, track::kConfirmPairs> of_tonight{};
    std::size_t goods = 0;
    std::size_t tonights = 0;
    double walk = 0;
    for (std::size_t block = 0; block < track::kConfirmPairs / 2; ++block) {
      const bool tonight_first = random_.below(2) == 1;
      for (const bool is_tonight : {tonight_first, !tonight_first, !tonight_first, tonight_first}) {
        walk += kWalk * normal();
        const double level = is_tonight ? tonight : good;
        const double value = 1e6 * std::exp(level + walk + kSpread * launch_noise());
        if (is_tonight) {
          of_tonight.at(tonights++) = value;
        } else {
          of_good.at(goods++) = value;
        }
      }
    }
    return track::confirm(of_good, of_tonight, higher).reproduced;
  }

  double night_noise() {
    switch (world_.noise) {
      case Noise::kGaussian:
        return normal();
      case Noise::kHeavyTails:
        return normal() + tail(0.05, 5);
      case Noise::kTwoLevels:
        return two_levels();
      case Noise::kAlike5:
        return alike(0.5);
      case Noise::kAlike8:
        return alike(0.8);
    }
    return 0;
  }

  double launch_noise() {
    if (world_.noise == Noise::kHeavyTails) return normal() + tail(0.07, 4);
    if (world_.noise == Noise::kTwoLevels) return two_levels();
    return normal();
  }

  double tail(double share, double mean) {
    return random_.unit() < share ? -mean * std::log(1 - random_.unit()) : 0;
  }

  double two_levels() { return (random_.below(2) == 1 ? 1 : -1) + 0.3 * normal(); }

  double alike(double share) {
    state_ = share * state_ + std::sqrt(1 - share * share) * normal();
    return state_;
  }

  double normal() {  // Box and Muller
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(1 - random_.unit()));
    const double angle = 2 * std::numbers::pi * random_.unit();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

  World world_;
  stats::Random random_;
  double state_ = 0;
  double spare_ = 0;
  bool has_spare_ = false;
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
    return track::screen(values_, options_);
  }

  Machine::Answers confirmed(const track::ScreenAnswer& answer) {
    const std::optional<std::size_t> good = track::last_good(values_, options_, answer);
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

std::string_view name_of(Noise noise) {
  switch (noise) {
    case Noise::kGaussian:
      return "Gaussian";
    case Noise::kHeavyTails:
      return "heavy tails";
    case Noise::kTwoLevels:
      return "two levels";
    case Noise::kAlike5:
      return "autoregressive 0.5";
    case Noise::kAlike8:
      return "autoregressive 0.8";
  }
  return {};
}

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

CreepFound creeping_nights(const World& world, double slope, std::size_t series,
                           std::uint64_t seed) {
  constexpr std::size_t kQuiet = 40;
  constexpr std::size_t kWeeks = 13;
  constexpr std::size_t kDays = track::kCreepDays;
  Machine machine(world, seed);
  CreepFound found{.series = series};
  for (std::size_t i = 0; i < series; ++i) {
    Nights nights(machine, track::ScreenKind::kRobustZ);
    for (std::size_t night = 0; night < kQuiet; ++night) (void)nights.add(0);
    for (std::size_t night = 1; night <= kWeeks * kDays; ++night) {
      const track::ScreenAnswer answer = nights.add(slope * static_cast<double>(night));
      if (answer.higher && nights.confirmed(answer).twice) {
        ++found.by_screen;
        if (slope > 0) break;
      }
      if (night % kDays != 0) continue;
      ++found.weeks;
      const auto worth = track::creep(nights.values(), true, track::kConfirmMargin);
      if (!worth) continue;
      ++found.measured;
      if (!nights.against(worth->best, true).twice) continue;
      ++found.by_week;
      if (slope > 0) break;
    }
  }
  return found;
}

}  // namespace stepbench::testing_track
