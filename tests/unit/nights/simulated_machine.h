// SPDX-License-Identifier: Apache-2.0
// A machine that is made up: launches of two programs in turns, with known noise. Seeded; one
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/stats/random.h"
#include "tests/unit/stats/normal_draws.h"

namespace stepbench::testing_nights {

// Of a launch, in units of World::launch_sd; the machine's level walks by 0.3 of them from launch
// to launch.
enum class Noise : std::uint8_t {
  kGaussian,
  kHeavyTails,  // and 7 % of the launches are later by Exp(4)
  kTwoLevels,   // 1 up or down, at random, and 0.3 around that
  kBusyCore,    // half of the launches take twice as long
  kRecorded     // as launches were recorded that did the same, around their centre
};
inline constexpr std::array kNoises = {Noise::kGaussian, Noise::kHeavyTails, Noise::kTwoLevels};
[[nodiscard]] std::string_view name_of(Noise noise);

struct World {
  Noise noise = Noise::kGaussian;
  double launch_sd = 0.01;
  double layout_sd = 0.005;  // of a build: where its code happens to lie
  double night_sd = 0;  // by which a night moves tonight's program alone, autoregressive by 0.8
  std::span<const double> recorded = {};  // of kRecorded: log ratios of pairs
};

class SimulatedMachine {
 public:
  SimulatedMachine(const World& world, std::uint64_t seed) : world_(world), random_(seed) {}

  void begin();  // before the first night of a series
  [[nodiscard]] double offset_of_a_build();
  [[nodiscard]] double offset_of_a_night();
  // log(tonight / reference) of pairs in turns, ABBA or BAAB; `pairs` is even.
  [[nodiscard]] std::vector<double> pairs(double reference, double tonight, std::size_t pairs);
  [[nodiscard]] std::size_t below(std::uint32_t bound) { return random_.below(bound); }
  [[nodiscard]] double unit() { return random_.unit(); }

 private:
  double launch_noise();
  double normal() { return normals_.next(random_); }

  World world_;
  stats::Random random_;
  double night_ = 0;
  testing_noise::NormalDraws normals_;
};

}  // namespace stepbench::testing_nights
