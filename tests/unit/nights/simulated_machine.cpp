// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/nights/simulated_machine.h"

#include <numbers>

namespace stepbench::testing_nights {
namespace {

constexpr double kWalk = 0.3;
constexpr double kAlike = 0.8;

}  // namespace

std::string_view name_of(Noise noise) {
  switch (noise) {
    case Noise::kGaussian:
      return "Gaussian";
    case Noise::kHeavyTails:
      return "heavy tails";
    case Noise::kTwoLevels:
      return "two levels";
    case Noise::kBusyCore:
      return "a busy core";
    case Noise::kWildLaunches:
      return "5 % of the launches 30 % longer";
    case Noise::kRecorded:
      return "as recorded";
  }
  return {};
}

void SimulatedMachine::begin() { night_ = normal(); }

double SimulatedMachine::offset_of_a_build() { return world_.layout_sd * normal(); }

double SimulatedMachine::offset_of_a_night() {
  night_ = kAlike * night_ + std::sqrt(1 - kAlike * kAlike) * normal();
  return world_.night_sd * night_;
}

std::vector<double> SimulatedMachine::pairs(double reference, double tonight, std::size_t pairs) {
  std::vector<double> ratios;
  double walk = 0;
  for (std::size_t block = 0; block < pairs / 2; ++block) {
    const bool first = random_.below(2) == 1;
    for (const bool tonight_first : {first, !first}) {
      double launch[2];
      for (double& each : launch) {
        walk += kWalk * normal();
        each = world_.launch_sd * walk + launch_noise();
      }
      const double difference = tonight_first ? launch[0] - launch[1] : launch[1] - launch[0];
      ratios.push_back(tonight - reference + difference);
    }
  }
  return ratios;
}

double SimulatedMachine::launch_noise() {
  const double plain = world_.launch_sd * normal();
  switch (world_.noise) {
    case Noise::kGaussian:
      return plain;
    case Noise::kHeavyTails:
      return plain + (unit() < .07 ? -4 * world_.launch_sd * std::log(1 - unit()) : 0.0);
    case Noise::kTwoLevels:
      return world_.launch_sd * (below(2) == 1 ? 1 : -1) + .3 * plain;
    case Noise::kBusyCore:
      return plain + (below(2) == 1 ? std::numbers::ln2 : 0.0);
    case Noise::kWildLaunches:
      return plain + (unit() < .05 ? std::log(1.3) : 0.0);
    case Noise::kRecorded: {
      // A pair consists of two launches.
      const auto any = below(static_cast<std::uint32_t>(world_.recorded.size()));
      return world_.recorded[any] / std::numbers::sqrt2;
    }
  }
  return 0;
}

}  // namespace stepbench::testing_nights
