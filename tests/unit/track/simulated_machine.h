// SPDX-License-Identifier: Apache-2.0
// A machine that is made up: its nights and the launches of its confirmations, with known noise.
// Seeded; one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/stats/random.h"
#include "tests/unit/stats/normal_draws.h"

namespace stepbench::testing_track {

// All with a standard deviation of about 1 %, of a night's point as of a launch of a confirmation.
// The machine's level walks by 0.3 % from launch to launch of a confirmation.
enum class Noise : std::uint8_t {
  kGaussian,
  kHeavyTails,  // and 5 % of the nights (7 % of the launches) are later by Exp(5 %) (Exp(4 %))
  kTwoLevels,   // 1 % up or down, at random, and 0.3 % around that
  kAlike5,      // nights autoregressive by 0.5; launches as Gaussian
  kAlike8,      // by 0.8
  kRecorded     // nights as they were recorded; launches as Gaussian
};
inline constexpr std::array kNoises = {Noise::kGaussian, Noise::kHeavyTails, Noise::kTwoLevels,
                                       Noise::kAlike5, Noise::kAlike8};
[[nodiscard]] std::string_view name_of(Noise noise);

// Where the code of a build happens to lie makes it slower or faster, at random.
enum class Layout : std::uint8_t {
  kBetweenArms,  // confirmations alone see it, as one offset between the two programs
  kOfBuilds      // every build has its own; its night sees it and both arms of a confirmation do
};

struct World {
  Noise noise = Noise::kGaussian;
  Layout layout = Layout::kBetweenArms;
  double layout_sd = 0;
  // Whether a second confirmation, of programs at fresh paths or linked anew, draws new offsets.
  bool second_draws_anew = true;
  // Of kRecorded: what real nights differed by from their neighbours, as logarithms; lives begin
  // anywhere in it.
  std::span<const double> recorded = {};
};

// A campaign: pair i at index i, in nanoseconds.
struct SimulatedPairs {
  std::vector<double> good = {};
  std::vector<double> tonight = {};
};

class SimulatedMachine {
 public:
  SimulatedMachine(const World& world, std::uint64_t seed) : world_(world), random_(seed) {}

  void begin();  // before the first night of a series
  [[nodiscard]] double offset_of_a_build();
  [[nodiscard]] double between_arms();
  // A night's point; `level` as a logarithm.
  [[nodiscard]] double night(double level);
  // In turns, ABBA or BAAB; `pairs` is even. Levels with what the builds' layout adds.
  [[nodiscard]] SimulatedPairs campaign(double good, double tonight, std::size_t pairs);
  [[nodiscard]] std::size_t below(std::uint32_t bound) { return random_.below(bound); }
  [[nodiscard]] double unit() { return random_.unit(); }

 private:
  double night_noise();
  double launch_noise();
  double tail(double share, double mean);
  double two_levels();
  double alike(double share);
  double normal() { return normals_.next(random_); }

  World world_;
  stats::Random random_;
  double state_ = 0;
  std::size_t next_recorded_ = 0;
  testing_noise::NormalDraws normals_;
};

}  // namespace stepbench::testing_track
