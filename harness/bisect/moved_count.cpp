// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/moved_count.h"

#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/bisect/counting.h"
#include "harness/bisect/pair_values.h"
#include "harness/bisect/step_requests.h"

namespace stepbench::bisect {

bool MovedCount::find(std::size_t good, std::size_t bad) {
  try {
    std::optional<record::Results> at_good = count_(good, kProfiledLaunches);
    if (!at_good) return false;
    const std::optional<record::Results> at_bad = count_(bad, kProfiledLaunches);
    if (!at_bad) return false;
    const compare::CaseResult one = compare_counts(*at_good, "", *at_bad);
    name_ = risen_count(one);
    if (name_.empty()) return true;
    moved_by_ = log_ratio_of_count(one, name_).value_or(0);
    good_ = std::move(*at_good);
  } catch (const ConfigError&) {
    forget();
  }
  return true;
}

void MovedCount::take(record::Results pairs, std::string name) {
  good_ = std::move(pairs);
  arm_ = compare::kArmA;
  name_ = std::move(name);
  by_pairs_ = true;
}

MovedCount::Told MovedCount::tell(const SearchStep& step, Bisection& bisection,
                                  JudgedStep& judged) const {
  std::optional<double> ratio;
  try {
    const std::optional<record::Results> results = count_(step.candidate, 1);
    if (!results) return Told::kSignal;
    ratio = log_ratio_of_count(compare_counts(*good_, arm_, *results), name_);
  } catch (const ConfigError&) {
    return Told::kNothing;
  }
  if (!ratio) return Told::kNothing;
  judged.pairs = 1;
  judged.change = {.size = *ratio, .low = *ratio, .high = *ratio};
  if (by_pairs_) {
    const std::vector<double> ratios(kFewestPairs, *ratio);
    judged.side = bisection.side(ratios);
    bisection.take(ratios);
  } else {
    judged.counted = name_;
    judged.side = *ratio > moved_by_ / 2 ? Side::kBad : Side::kGood;
    bisection.take_side(judged.side);
  }
  return Told::kSide;
}

}  // namespace stepbench::bisect
