// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "harness/stats/order.h"
#include "harness/track/screens.h"

namespace stepbench::track::screens {
namespace {

constexpr std::size_t kBase = 30;   // points before tonight's
constexpr std::size_t kRecent = 3;  // nights whose median counts, tonight's among them
constexpr double kTonight = 3;      // spreads
constexpr double kRecentAlike = 1.8;

}  // namespace

// A jump shows tonight. A smaller step that the spread of one night hides shows in the median of
// three, which a single spike does not move.
ScreenAnswer robust_z(std::span<const double> segment, double resolution, double known_spread) {
  const double tonight = segment.back();
  const auto before = segment.first(segment.size() - 1);
  const auto base = before.last(std::min(kBase, before.size()));
  ScreenAnswer answer;
  answer.usual = stats::median(base);
  answer.change = change_from(answer.usual, tonight);
  answer.since = segment.size() - 1;
  const double spread = std::max(known_spread > 0 ? known_spread : stats::robust_sd(base),
                                 least_spread(answer.usual, resolution));
  answer.score = distance(tonight, answer.usual, spread);
  if (std::abs(answer.score) <= kTonight) {
    const double recent = distance(stats::median(segment.last(kRecent)), answer.usual, spread);
    if (std::abs(recent) <= kRecentAlike) return answer;
    answer.score = recent;
  }
  answer.higher = answer.score > 0;
  answer.lower = answer.score < 0;
  // Nights just before that lie on the same side, beyond the lesser of the two bounds, are part of
  // what moved.
  for (std::size_t i = segment.size() - kRecent; i < segment.size(); ++i) {
    const double each = distance(segment[i], answer.usual, spread);
    if ((answer.higher && each > kRecentAlike) || (answer.lower && each < -kRecentAlike)) {
      answer.since = i;
      break;
    }
  }
  return answer;
}

}  // namespace stepbench::track::screens
