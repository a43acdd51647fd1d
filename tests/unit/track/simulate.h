// SPDX-License-Identifier: Apache-2.0
// Nights that are made up, with known noise and known steps, through the real screen, the real
// choice of the last good night and the real rule of confirmation: how often something is confirmed
// where nothing changed, and how soon a step is. Every night has another build. Seeded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/track/screen.h"

namespace stepbench::testing_track {

// All with a standard deviation of about 1 %, of a night's point as of a launch of a confirmation.
// The machine's level walks by 0.3 % from launch to launch of a confirmation.
enum class Noise : std::uint8_t {
  kGaussian,
  kHeavyTails,  // and 5 % of the nights (7 % of the launches) are later by Exp(5 %) (Exp(4 %))
  kTwoLevels,   // 1 % up or down, at random, and 0.3 % around that
  kAlike5,      // nights autoregressive by 0.5; launches as Gaussian
  kAlike8       // by 0.8
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
};

struct QuietNights {       // of nights on which nothing changed
  std::size_t nights = 0;  // screened
  std::size_t fired = 0;   // and measured again, either way
  std::size_t slower_once = 0;
  std::size_t slower_twice = 0;
  std::size_t faster_once = 0;
  std::size_t faster_twice = 0;

  [[nodiscard]] double per_thousand(std::size_t count) const;
};
[[nodiscard]] QuietNights quiet_nights(const World& world, track::ScreenKind screen,
                                       std::size_t series, std::size_t nights_each,
                                       std::uint64_t seed);

struct FoundSteps {  // by how many nights it took; the first night is 1
  std::vector<std::size_t> once;
  std::vector<std::size_t> twice;
};
inline constexpr std::size_t kNeverFound = 99;
[[nodiscard]] double share_within(const std::vector<std::size_t>& nights, std::size_t most);
[[nodiscard]] std::size_t median_night(std::vector<std::size_t> nights);

// A step of so much (0.03), after 40 to 59 nights.
[[nodiscard]] FoundSteps found_steps(const World& world, track::ScreenKind screen, double step,
                                     std::size_t series, std::uint64_t seed);

struct CreepFound {
  std::size_t series = 0;
  std::size_t by_screen = 0;  // confirmed because the screen fired
  std::size_t by_week = 0;    // confirmed by the weekly measurement against the best night
  std::size_t measured = 0;   // weekly measurements that were due and worth it
  std::size_t weeks = 0;
};
// Weekly measurements over 13 weeks that follow 40 quiet nights, the level rising by `slope` a
// night. A series ends with its first confirmation; of a quiet one all count.
[[nodiscard]] CreepFound creeping_nights(const World& world, double slope, std::size_t series,
                                         std::uint64_t seed);

}  // namespace stepbench::testing_track
