// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/search.h"

namespace stepbench::bisect {

std::optional<std::size_t> Search::next() const {
  const std::size_t middle = good_ + (bad_ - good_) / 2;
  for (std::size_t away = 0; away <= bad_ - good_; ++away) {
    if (middle >= good_ + 1 + away && !left_out_.contains(middle - away)) return middle - away;
    if (middle + away > good_ && middle + away < bad_ && !left_out_.contains(middle + away)) {
      return middle + away;
    }
  }
  return std::nullopt;
}

void Search::take(std::size_t place, Side side) {
  switch (side) {
    case Side::kGood:
      good_ = place;
      return;
    case Side::kBad:
      bad_ = place;
      return;
    case Side::kOpen:
      left_out_.insert(place);
      return;
  }
}

}  // namespace stepbench::bisect
