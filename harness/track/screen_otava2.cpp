// SPDX-License-Identifier: Apache-2.0
#include "harness/track/change_points.h"
#include "harness/track/screens.h"

namespace stepbench::track::screens {
namespace {

constexpr OtavaOptions kOtava2{.window = 50, .max_p = 0.001, .min_magnitude = 0.02};
constexpr std::size_t kFreshNights = 5;  // tonight's among them

}  // namespace

ScreenAnswer otava2(std::span<const double> segment) {
  ScreenAnswer answer;
  const std::vector<ChangePoint> points = otava_change_points(segment, kOtava2);
  const std::size_t level_from = points.size() < 2 ? 0 : points[points.size() - 2].index;
  answer.since = segment.size() - 1;
  if (points.empty() || points.back().index + kFreshNights < segment.size()) {
    const auto level = segment.subspan(points.empty() ? 0 : points.back().index);
    for (const double value : level) answer.usual += value / static_cast<double>(level.size());
    answer.change = change_from(answer.usual, segment.back());
    return answer;
  }
  const ChangePoint& newest = points.back();
  answer.usual = newest.before;
  answer.change = change_from(answer.usual, segment.back());
  answer.score = newest.t;
  const auto before = segment.subspan(level_from, newest.index - level_from);
  if (!set_apart(before, segment.subspan(newest.index))) return answer;
  answer.higher = newest.t > 0;
  answer.lower = newest.t < 0;
  answer.since = newest.index;
  return answer;
}

}  // namespace stepbench::track::screens
