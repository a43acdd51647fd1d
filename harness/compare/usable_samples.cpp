// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/usable_samples.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace stepbench::compare {

UsableSamples usable_samples(const PairedSamples& samples, Design design) {
  UsableSamples result;
  const auto good = [&](double value) {
    const bool may_be_zero = samples.exact || samples.zeros;
    return std::isfinite(value) && (value > 0 || (may_be_zero && value == 0));
  };
  std::copy_if(samples.base.begin(), samples.base.end(), std::back_inserter(result.all_base), good);
  std::copy_if(samples.candidate.begin(), samples.candidate.end(),
               std::back_inserter(result.all_candidate), good);
  if (design == Design::kSequential) {
    result.base = result.all_base;
    result.candidate = result.all_candidate;
    result.dropped = samples.base.size() + samples.candidate.size() - result.base.size() -
                     result.candidate.size();
    return result;
  }
  const std::size_t pairs = std::min(samples.base.size(), samples.candidate.size());
  for (std::size_t i = 0; i < pairs; ++i) {
    if (!good(samples.base[i]) || !good(samples.candidate[i])) {
      ++result.dropped;
      continue;
    }
    result.base.push_back(samples.base[i]);
    result.candidate.push_back(samples.candidate[i]);
  }
  return result;
}

double log_of(double value) { return value == 0 ? -kFromZero : std::log(value); }

double sign_of(Direction direction) { return direction == Direction::kHigherIsBetter ? -1 : 1; }

std::vector<double> log_differences(const UsableSamples& usable, Direction direction) {
  const double sign = sign_of(direction);
  std::vector<double> differences(usable.base.size());
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const double before = usable.base[i];
    const double after = usable.candidate[i];
    const bool has_zero = before == 0 || after == 0;
    differences[i] = sign * (has_zero ? log_of(after) - log_of(before) : std::log(after / before));
  }
  return differences;
}

}  // namespace stepbench::compare
