// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/paired_samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <vector>

#include "harness/stats/order_statistics.h"
#include "harness/stats/shares.h"
#include "harness/text/words.h"

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

namespace {

constexpr double kMinExcess = 0.05;
constexpr double kSpreads = 5;

// Relative excess of each value over the median of its side.
std::vector<double> excesses(std::span<const double> side) {
  const double centre = stats::median(side);
  std::vector<double> beyond;
  for (const double cost : side) beyond.push_back(cost / centre - 1);
  return beyond;
}

std::string seen_text(std::size_t seen) { return seen == 0 ? "none" : std::to_string(seen); }

}  // namespace

SlowLaunches slow_launches(std::span<const double> base, std::span<const double> candidate) {
  SlowLaunches slow{.base_launches = base.size(), .candidate_launches = candidate.size()};
  const std::vector<double> before = excesses(base);
  const std::vector<double> after = excesses(candidate);
  std::vector<double> all(before);
  all.insert(all.end(), after.begin(), after.end());
  if (!std::all_of(all.begin(), all.end(), [](double each) { return std::isfinite(each); })) {
    return slow;
  }
  const double fence = std::max(kMinExcess, kSpreads * stats::robust_sd(all));
  const auto is_slow = [&](double excess) { return excess > fence; };
  slow.base = static_cast<std::size_t>(std::count_if(before.begin(), before.end(), is_slow));
  slow.candidate = static_cast<std::size_t>(std::count_if(after.begin(), after.end(), is_slow));
  if (slow.base + slow.candidate == 0) return slow;
  std::erase_if(all, [&](double excess) { return !is_slow(excess); });
  slow.excess = stats::median(all);
  slow.p = stats::fisher_exact_p(slow.base, base.size(), slow.candidate, candidate.size());
  return slow;
}

std::string to_text(const SlowLaunches& slow) {
  std::array<char, 96> numbers{};
  std::snprintf(numbers.data(), numbers.size(),
                " of the base stand out as worse, by %.0f %%%s (that both have as many: p %.2g)",
                100 * slow.excess, slow.base + slow.candidate > 1 ? " in the middle" : "", slow.p);
  return seen_text(slow.candidate) + " of " +
         text::counted(static_cast<std::int64_t>(slow.candidate_launches), "launch") +
         " of the candidate and " + seen_text(slow.base) + " of " +
         std::to_string(slow.base_launches) + numbers.data();
}

}  // namespace stepbench::compare
