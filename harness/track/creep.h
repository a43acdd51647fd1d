// SPDX-License-Identifier: Apache-2.0
// Slow-downs that come in steps too small for any single night. Once a week tonight's program is
// held against the best one of the last 90 nights, by the confirmation that a suspicion gets. Pure;
// any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace stepbench::track {

inline constexpr std::size_t kCreepNights = 90;  // points before tonight's
inline constexpr int kCreepDays = 7;             // from one measurement to the next
inline constexpr std::size_t kCreepLevel = 5;    // points whose median is a level

struct Creep {
  std::size_t best = 0;  // index into the segment: the night to measure against
  double best_level = 0;
  double level = 0;   // of the last kCreepLevel nights, tonight among them
  double change = 0;  // level / best_level - 1
};

// The best night is the middle one of the five nights in a row whose median is best: not the best
// single night, which was lucky. nullopt where the level of the last nights is not beyond
// `least_change` of it in the bad direction (a confirmation would not find it beyond its margin),
// or with fewer than 2 kCreepLevel points. `higher_is_worse`: of the series. `usable`: as of
// last_good().
[[nodiscard]] std::optional<Creep> creep(std::span<const double> segment, bool higher_is_worse,
                                         double least_change,
                                         const std::function<bool(std::size_t)>& usable = {});

// Whether a week has passed since the last time, by dates (2026-01-31T...). `last` is empty: there
// was none. A text that is no date is due.
[[nodiscard]] bool creep_is_due(std::string_view last_utc, std::string_view tonight_utc);

}  // namespace stepbench::track
