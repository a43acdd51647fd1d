// SPDX-License-Identifier: Apache-2.0
// Where the level of a series changed. For charts, reports and the screen otava2: a change point
// alone never raises an alert, because its p-value is taken at the best split and again every
// night. Values are finite and in order of time. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stepbench::track {

struct ChangePoint {
  std::size_t index = 0;  // of the first point after it
  double p = 1;
  double t = 0;       // Student's t of the two levels; infinite where neither varies
  double before = 0;  // means, as far as the neighbouring change points
  double after = 0;
  [[nodiscard]] double change() const;  // after / before - 1; infinite where only `before` is 0
  // The greater of |after / before - 1| and |before / after - 1|; of a level of 0 only the other.
  [[nodiscard]] double magnitude() const;
};

struct OtavaOptions {
  std::size_t window = 50;
  double max_p = 0.001;
  double min_magnitude = 0;
};
// As Apache Otava finds them: splits of overlapping windows, tested by Student's t, the weakest
// dropped again until all hold between their neighbours.
[[nodiscard]] std::vector<ChangePoint> otava_change_points(std::span<const double> values,
                                                           const OtavaOptions& options = {});

struct DivisiveOptions {
  double max_p = 0.01;
  std::size_t permutations = 999;
  std::uint64_t seed = 1;
  std::size_t min_length = 3;  // of a segment
  double min_magnitude = 0.02;
};
// E-divisive: the best split of a segment stands if its permutations hardly ever split as well, and
// its two parts are asked in turn. Each segment is held against its own permutations, because a
// stretch of noisy nights would hide what is plain in a quiet one. Where neighbouring nights are
// alike, permutations find changes in any drift: there it must stand out of drawn series of the
// same likeness, too. Seeded: the same series gives the same points.
[[nodiscard]] std::vector<ChangePoint> divisive_change_points(std::span<const double> values,
                                                              const DivisiveOptions& options = {});

}  // namespace stepbench::track
