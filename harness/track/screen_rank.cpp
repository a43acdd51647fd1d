// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "harness/stats/order.h"
#include "harness/track/rank_scan.h"
#include "harness/track/screens.h"

namespace stepbench::track::screens {
namespace {

constexpr std::size_t kRanked = 60;     // points, tonight's among them
constexpr std::size_t kMinToRank = 15;  // of fewer no split can be told from chance
constexpr std::size_t kNewestNights = 8;
constexpr std::size_t kMinSide = 3;
constexpr double kMinRatio = 1.02;  // of the medians

double cost(std::span<const double> values) {
  const double centre = stats::median(values);
  double sum = 0;
  for (const double value : values) sum += std::abs(value - centre);
  return sum;
}

// The split near `index` whose two sides lie closest to their medians.
std::size_t sharpened(std::span<const double> values, std::size_t index) {
  const std::size_t from = std::max(index > kNewestNights ? index - kNewestNights : 1, kMinSide);
  const std::size_t to = std::min(index + kNewestNights, values.size() - 1);
  std::size_t best = index;
  double least = cost(values.first(index)) + cost(values.subspan(index));
  for (std::size_t i = from; i <= to; ++i) {
    const double each = cost(values.first(i)) + cost(values.subspan(i));
    if (each < least) {
      least = each;
      best = i;
    }
  }
  return best;
}

}  // namespace

// Nights that are alike make it fire more often, up to 6 times in 1,000. A divisor for that would
// make it blind: eight nights out of sixty reach 4.5 at most, so that with neighbours alike by more
// than 0.24 nothing could fire. What fires is measured again in any case.
ScreenAnswer rank(std::span<const double> segment) {
  const auto values = segment.last(std::min(kRanked, segment.size()));
  if (values.size() < kMinToRank) return {.warming_up = true};
  ScreenAnswer answer;
  const RankShift shift = rank_scan(values, kMinSide);
  const auto before = values.first(shift.index == 0 ? values.size() - 1 : shift.index);
  answer.usual = stats::median(before);
  answer.change = change_from(answer.usual, segment.back());
  answer.since = segment.size() - 1;
  if (shift.index == 0) return answer;
  const double threshold = rank_threshold(values.size());
  answer.score = shift.z / threshold;
  const auto after = values.subspan(shift.index);
  const double level = stats::median(after);
  const bool large =
      shift.z > 0 ? level >= kMinRatio * answer.usual : answer.usual >= kMinRatio * level;
  if (std::abs(shift.z) <= threshold || after.size() > kNewestNights || !large ||
      !set_apart(before, after)) {
    return answer;
  }
  answer.higher = shift.z > 0;
  answer.lower = shift.z < 0;
  answer.since = segment.size() - values.size() + sharpened(values, shift.index);
  return answer;
}

}  // namespace stepbench::track::screens
