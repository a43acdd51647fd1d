// SPDX-License-Identifier: Apache-2.0
#include "harness/track/last_good.h"

#include <algorithm>

#include "harness/stats/order.h"
#include "harness/track/screens.h"

namespace stepbench::track {
namespace {

constexpr std::size_t kNights = 30;     // whose spread counts
constexpr double kBelowTonight = 4;     // spreads
constexpr double kMostFromUsual = 2.5;  // spreads

}  // namespace

std::optional<std::size_t> last_good(std::span<const double> segment, const ScreenOptions& options,
                                     const ScreenAnswer& answer,
                                     const std::function<bool(std::size_t)>& usable) {
  const auto before = segment.first(answer.since);
  const double sign = answer.higher ? 1 : -1;
  const double spread = std::max(stats::robust_sd(before.last(std::min(kNights, before.size()))),
                                 screens::least_spread(answer.usual, options.resolution));
  const auto moved = [&](double value) {
    return sign * screens::distance(value, answer.usual, spread);
  };
  const double most = std::clamp(moved(segment.back()) - kBelowTonight, 0.0, kMostFromUsual);
  std::optional<std::size_t> quiet;
  for (std::size_t i = before.size(); i-- > 0;) {
    const bool good = moved(segment[i]) <= most;
    if (!good && quiet) continue;
    if (usable && !usable(i)) continue;
    if (screen(segment.first(i + 1), options).fired()) continue;
    if (good) return i;
    quiet = i;
  }
  return quiet;
}

}  // namespace stepbench::track
