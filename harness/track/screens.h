// SPDX-License-Identifier: Apache-2.0
// The screens one by one, as screen() calls them. `segment` has more than kMinForScreen points.
#pragma once

#include <cstddef>
#include <span>

#include "harness/track/screen.h"

namespace stepbench::track::screens {

// `spread`: of one night, where it is known; 0: by the nights before.
[[nodiscard]] ScreenAnswer robust_z(std::span<const double> segment, double resolution,
                                    double spread = 0);
[[nodiscard]] ScreenAnswer otava2(std::span<const double> segment);
[[nodiscard]] ScreenAnswer rank(std::span<const double> segment);
[[nodiscard]] ScreenAnswer t_pred(std::span<const double> segment, double resolution);

// The least spread that is believed of values at this level: equal nights are luck, or a clock that
// is too coarse.
[[nodiscard]] double least_spread(double level, double resolution);
[[nodiscard]] double change_from(double usual, double value);
// In units of `spread`; infinite where that is 0 and the value differs.
[[nodiscard]] double distance(double value, double usual, double spread);
// Whether four fifths of all pairs (one of `before`, one of `after`) rise, or fall: a series that
// jumps between two levels passes no such test.
[[nodiscard]] bool set_apart(std::span<const double> before, std::span<const double> after);

}  // namespace stepbench::track::screens
