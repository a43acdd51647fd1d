// SPDX-License-Identifier: Apache-2.0
// Whether the newest point of a series is worth a second measurement. A screen looks back only,
// draws no random number, and may be wrong often: what it says is a suspicion that a confirmation
// must reproduce. Rises and falls are treated alike. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/base/enum_names.h"

namespace stepbench::track {

enum class ScreenKind : std::uint8_t {
  kRobustZ,  // tonight, or the median of three nights, beyond the spread of the last 30
  kOtava2,   // a change point of 2 % in the last 5 nights
  kRank,     // a shift of ranks, and of 2 %, in the last 8 nights; fires least of all
  kTPred     // outside the 99 % prediction bound of the last 64
};
constexpr EnumNames<4> names_of(ScreenKind) { return {"robust_z", "otava2", "rank", "t_pred"}; }

inline constexpr std::size_t kMinForScreen = 10;  // points of a segment before tonight's

struct ScreenOptions {
  ScreenKind kind = ScreenKind::kRobustZ;
  double resolution = 0;  // of the clock, in the series' unit: no spread is smaller
};

struct ScreenAnswer {
  bool warming_up = false;  // too few points: nothing is said, all else is 0
  bool higher = false;      // fired, and the value rose
  bool lower = false;       // fired, and the value fell; never both
  // Positive is higher. robust_z: in robust standard deviations; otava2: Student's t of the change;
  // rank: the statistic over its threshold; t_pred: in standard deviations of a prediction.
  // Infinite where the points before do not vary at all around zero.
  double score = 0;
  double usual = 0;   // what the value is held against
  double change = 0;  // tonight's value / usual - 1; infinite where `usual` is 0 and the value not
  // Index, into `segment`, of the first point of what moved: tonight's, or some nights earlier.
  std::size_t since = 0;

  [[nodiscard]] bool fired() const { return higher || lower; }
};

// `segment`: all points of the current segment in order of time, tonight's last; finite.
[[nodiscard]] ScreenAnswer screen(std::span<const double> segment, const ScreenOptions& options);

}  // namespace stepbench::track
