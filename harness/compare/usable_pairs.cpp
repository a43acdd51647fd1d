// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/usable_pairs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace stepbench {

UsablePairs usable_pairs(const Question& question) {
  UsablePairs result;
  const auto good = [&](double value) {
    return std::isfinite(value) && (value > 0 || (question.exact && value == 0));
  };
  const std::size_t pairs = std::min(question.base.size(), question.candidate.size());
  for (std::size_t i = 0; i < pairs; ++i) {
    if (!good(question.base[i]) || !good(question.candidate[i])) {
      ++result.dropped;
      continue;
    }
    result.base.push_back(question.base[i]);
    result.candidate.push_back(question.candidate[i]);
  }
  std::copy_if(question.base.begin(), question.base.end(), std::back_inserter(result.all_base),
               good);
  std::copy_if(question.candidate.begin(), question.candidate.end(),
               std::back_inserter(result.all_candidate), good);
  return result;
}

bool constant(std::span<const double> values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

}  // namespace stepbench
