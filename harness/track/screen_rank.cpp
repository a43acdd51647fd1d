// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/stats/autocorrelation.h"
#include "harness/stats/order.h"
#include "harness/track/rank_scan.h"
#include "harness/track/screens.h"

namespace stepbench::screens {
namespace {

constexpr std::size_t kRanked = 60;     // points, tonight's among them
constexpr std::size_t kMinToRank = 15;  // of fewer no split can be told from chance
constexpr std::size_t kNewestNights = 8;
constexpr std::size_t kMinSide = 3;
constexpr double kMinRatio = 1.02;  // of the medians
constexpr double kMaxAlike = 0.85;

double cost(std::span<const double> values) {
  const double centre = median(values);
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

// Of what remains of the values when each side of the split is held against its own median: the
// step itself makes no neighbours alike.
double alike(std::span<const double> values, std::size_t index) {
  std::vector<double> rest(values.begin(), values.end());
  const double before = median(values.first(index));
  const double after = median(values.subspan(index));
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= i < index ? before : after;
  return std::min(lag_1_of_rest(rest), kMaxAlike);
}

}  // namespace

ScreenAnswer rank(std::span<const double> segment) {
  const auto values = segment.last(std::min(kRanked, segment.size()));
  if (values.size() < kMinToRank) return {.warming_up = true};
  ScreenAnswer answer;
  const RankShift shift = rank_scan(values, kMinSide);
  const auto before = values.first(shift.index == 0 ? values.size() - 1 : shift.index);
  answer.usual = median(before);
  answer.change = change_from(answer.usual, segment.back());
  answer.since = segment.size() - 1;
  if (shift.index == 0) return answer;
  const double threshold = rank_threshold(values.size());
  answer.score = shift.z / threshold;
  const auto after = values.subspan(shift.index);
  const double level = median(after);
  const bool large =
      shift.z > 0 ? level >= kMinRatio * answer.usual : answer.usual >= kMinRatio * level;
  if (std::abs(shift.z) <= threshold || after.size() > kNewestNights || !large ||
      !set_apart(before, after)) {
    return answer;
  }
  answer.score /= inflation(alike(values, shift.index));
  if (std::abs(answer.score) <= 1) return answer;
  answer.higher = shift.z > 0;
  answer.lower = shift.z < 0;
  answer.since = segment.size() - values.size() + sharpened(values, shift.index);
  return answer;
}

}  // namespace stepbench::screens
