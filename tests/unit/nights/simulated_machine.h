// SPDX-License-Identifier: Apache-2.0
// A simulated machine: alternating launches of two programs with known noise. Seeded; one thread.
#pragma once

#include "harness/stats/random.h"
#include "tests/testing.h"
#include "tests/unit/stats/normal_draws.h"

namespace stepbench::testing_nights {

// Noise of a launch, in units of World::launch_sd; the machine's level is a random walk of 0.3 of
// them per launch.
enum class Noise : std::uint8_t {
  kGaussian,
  kHeavyTails,    // with 7 % of the launches later by Exp(4)
  kTwoLevels,     // 1 up or down at random, and 0.3 around that
  kBusyCore,      // half of the launches take twice as long
  kWildLaunches,  // 5 % of the launches take 30 % longer
  kRecorded       // as recorded launches without a real change, around their centre
};
inline constexpr std::array kNoises = {Noise::kGaussian, Noise::kHeavyTails, Noise::kTwoLevels};
[[nodiscard]] std::string_view name_of(Noise noise);

struct World {
  Noise noise = Noise::kGaussian;
  double launch_sd = 0.01;
  double layout_sd = 0.005;  // of a build: the placement of its code
  double night_sd = 0;       // change of tonight's program alone per night, autoregressive by 0.8
  std::span<const double> recorded = {};  // for kRecorded: log ratios of pairs
};

class SimulatedMachine {
 public:
  SimulatedMachine(const World& world, std::uint64_t seed) : world_(world), random_(seed) {}

  void begin();  // before the first night of a series
  [[nodiscard]] double offset_of_a_build();
  [[nodiscard]] double offset_of_a_night();
  // log(tonight / reference) of alternating pairs, ABBA or BAAB; `pairs` is even.
  [[nodiscard]] std::vector<double> pairs(double reference, double tonight, std::size_t pairs);
  [[nodiscard]] std::size_t below(std::uint32_t bound) { return random_.below(bound); }
  [[nodiscard]] double unit() { return random_.unit(); }

 private:
  double launch_noise();
  double normal() { return normals_.next(random_); }

  World world_;
  stats::Random random_;
  double night_ = 0;
  NormalDraws normals_;
};

}  // namespace stepbench::testing_nights
