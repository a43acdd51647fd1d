// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/track/simulated_machine.h"

#include <cmath>

namespace stepbench::testing_track {
namespace {

constexpr double kSpread = 0.01;
constexpr double kWalk = 0.003;

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
    case Noise::kRecorded:
      return "as recorded";
  }
  return {};
}

void SimulatedMachine::begin() {
  state_ = normal();
  if (!world_.recorded.empty()) {
    next_recorded_ = random_.below(static_cast<std::uint32_t>(world_.recorded.size()));
  }
}

double SimulatedMachine::offset_of_a_build() {
  return world_.layout == Layout::kOfBuilds ? world_.layout_sd * normal() : 0;
}

double SimulatedMachine::between_arms() {
  return world_.layout == Layout::kBetweenArms ? world_.layout_sd * normal() : 0;
}

double SimulatedMachine::night(double level) {
  return 1e6 * std::exp(level + kSpread * night_noise());
}

SimulatedPairs SimulatedMachine::campaign(double good, double tonight, std::size_t pairs) {
  SimulatedPairs measured;
  double walk = 0;
  for (std::size_t block = 0; block < pairs / 2; ++block) {
    const bool tonight_first = random_.below(2) == 1;
    for (const bool is_tonight : {tonight_first, !tonight_first, !tonight_first, tonight_first}) {
      walk += kWalk * normal();
      const double level = is_tonight ? tonight : good;
      const double value = 1e6 * std::exp(level + walk + kSpread * launch_noise());
      (is_tonight ? measured.tonight : measured.good).push_back(value);
    }
  }
  return measured;
}

double SimulatedMachine::night_noise() {
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
    case Noise::kRecorded:
      return world_.recorded[next_recorded_++ % world_.recorded.size()] / kSpread;
  }
  return 0;
}

double SimulatedMachine::launch_noise() {
  if (world_.noise == Noise::kHeavyTails) return normal() + tail(0.07, 4);
  if (world_.noise == Noise::kTwoLevels) return two_levels();
  return normal();
}

double SimulatedMachine::tail(double share, double mean) {
  return random_.unit() < share ? -mean * std::log(1 - random_.unit()) : 0;
}

double SimulatedMachine::two_levels() { return (random_.below(2) == 1 ? 1 : -1) + 0.3 * normal(); }

double SimulatedMachine::alike(double share) {
  state_ = share * state_ + std::sqrt(1 - share * share) * normal();
  return state_;
}

}  // namespace stepbench::testing_track
