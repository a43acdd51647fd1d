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

std::vector<std::size_t> Search::ahead(std::size_t most) const {
  std::vector<std::size_t> places;
  std::vector<Search> states = {*this};
  for (std::size_t i = 0; i < states.size() && places.size() < most; ++i) {
    const std::optional<std::size_t> place = states[i].next();
    if (!place) continue;
    places.push_back(*place);
    for (const Side side : {Side::kGood, Side::kBad}) {
      Search then = states[i];
      then.take(*place, side);
      states.push_back(std::move(then));
    }
  }
  return places;
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
