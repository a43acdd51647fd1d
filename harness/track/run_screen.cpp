// SPDX-License-Identifier: Apache-2.0
#include "harness/track/screen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "harness/stats/effect_size.h"
#include "harness/track/screens.h"

namespace stepbench::track {
ScreenAnswer screen(std::span<const double> segment, const ScreenOptions& options) {
  if (segment.size() <= kMinForScreen) return {.warming_up = true};
  switch (options.kind) {
    case ScreenKind::kRobustZ:
      return screens::robust_z(segment, options.resolution);
    case ScreenKind::kOtava2:
      return screens::otava2(segment);
    case ScreenKind::kRank:
      return screens::rank(segment);
    case ScreenKind::kTPred:
      return screens::t_pred(segment, options.resolution);
  }
  return {};
}

namespace screens {

double least_spread(double level, double resolution) {
  constexpr double kShareOfLevel = 0.001;
  return std::max(resolution, kShareOfLevel * std::abs(level));
}

double change_from(double usual, double value) {
  if (value == usual) return 0;
  if (usual == 0) return std::copysign(std::numeric_limits<double>::infinity(), value);
  return (value - usual) / std::abs(usual);
}

double distance(double value, double usual, double spread) {
  if (value == usual) return 0;
  if (spread > 0) return (value - usual) / spread;
  return std::copysign(std::numeric_limits<double>::infinity(), value - usual);
}

bool set_apart(std::span<const double> before, std::span<const double> after) {
  constexpr double kShare = 0.8;
  const double above = stats::cles(before, after);
  return above >= kShare || above <= 1 - kShare;
}

}  // namespace screens
}  // namespace stepbench::track
