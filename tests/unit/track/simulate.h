// SPDX-License-Identifier: Apache-2.0
// Nights that are made up, with known noise and known steps, through the real screen, the real
// choice of the last good night and the real rule of confirmation: how often something is confirmed
// where nothing changed, and how soon a step is. Every night has another build. Seeded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/track/screen.h"
#include "tests/unit/track/simulated_machine.h"

namespace stepbench::testing_track {

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

}  // namespace stepbench::testing_track
