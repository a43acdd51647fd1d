// SPDX-License-Identifier: Apache-2.0
// Whether the newest point of a series is worth a second measurement. A screen looks back only,
// draws no random number, and may be wrong often: what it says is a suspicion that a confirmation
// must reproduce. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace stepbench {

enum class ScreenKind : std::uint8_t { kRobustZ, kOtava2, kRank, kTPred };
[[nodiscard]] std::string_view name_of(ScreenKind kind);  // "robust_z"
[[nodiscard]] std::optional<ScreenKind> screen_of(std::string_view name);

inline constexpr std::size_t kMinForScreen = 10;  // points of a segment before tonight's

struct ScreenOptions {
  ScreenKind kind = ScreenKind::kRobustZ;
  double resolution = 0;  // of the clock, in the series' unit: no spread is smaller
};

struct ScreenAnswer {
  bool warming_up = false;  // too few points: nothing is said
  bool higher = false;      // fired, and the value rose
  bool lower = false;       // fired, and the value fell
  double score = 0;         // robust_z: z; others: their statistic; positive is higher
  double usual = 0;         // what the value is held against
  double change = 0;        // value / usual - 1
  // Index, into `segment`, of the first point of what moved: tonight's, or some nights earlier for
  // screens that find the night.
  std::size_t since = 0;
};

// `segment`: all points of the current segment in order of time, tonight's last; finite.
[[nodiscard]] ScreenAnswer screen(std::span<const double> segment, const ScreenOptions& options);

}  // namespace stepbench
