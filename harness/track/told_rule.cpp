// SPDX-License-Identifier: Apache-2.0
#include "harness/track/told_rule.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace stepbench::track {
namespace {

constexpr double kOneSided95 = 1.6449;

struct Together {
  double mean = 0;      // towards the suspicion, as a logarithm
  double variance = 0;  // of the sum, by the number of pairs: SE^2 + 2 layout^2 of separate pairs
  std::size_t count = 0;

  [[nodiscard]] double spread() const { return std::sqrt(variance / static_cast<double>(count)); }
};

// Each pair of builds once. What layout does to a build is in every pair that has it: pairs that
// share a program say less of it than as many pairs of others.
Together together(std::span<const AlertMeasurement* const> measured, bool higher) {
  struct Pair {
    double sum = 0;
    double variance = 0;
    double count = 0;
  };
  std::map<std::string, Pair> pairs;
  std::map<std::string, double> of_good;  // pairs by build
  std::map<std::string, double> of_tonight;
  double layout = 0;
  for (const AlertMeasurement* one : measured) {
    const std::string& builds = one->builds.empty() ? one->night : one->builds;
    const auto [pair, is_new] = pairs.try_emplace(builds);
    pair->second.sum += std::log1p(one->change);
    pair->second.variance += standard_error(*one) * standard_error(*one);
    pair->second.count += 1;
    layout += one->layout * one->layout / static_cast<double>(measured.size());
    if (!is_new) continue;
    const std::size_t blank = builds.find(' ');
    of_good[builds.substr(0, blank)] += 1;
    of_tonight[blank == std::string::npos ? builds : builds.substr(blank + 1)] += 1;
  }
  Together all{.count = pairs.size()};
  for (const auto& [builds, pair] : pairs) {
    all.mean += pair.sum / pair.count;
    all.variance += pair.variance / (pair.count * pair.count);
  }
  for (const auto* builds : {&of_good, &of_tonight}) {
    for (const auto& [build, times] : *builds) all.variance += layout * times * times;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(all.count, 1));
  all.mean *= (higher ? 1 : -1) / count;
  all.variance /= count;
  return all;
}

// What the nights before the first in which it was there measured below the margin says of their
// programs that they were good: a step after a spike is not watered down by the spike.
std::vector<const AlertMeasurement*> telling(std::span<const AlertMeasurement> measured) {
  std::vector<const AlertMeasurement*> chosen;
  const AlertMeasurement* there = nullptr;
  for (const AlertMeasurement& one : measured) {
    if (one.closing) continue;
    chosen.push_back(&one);
    if (there == nullptr && one.reproduced) there = &one;
  }
  if (there == nullptr) return chosen;
  const double way = there->change < 0 ? -1 : 1;
  std::erase_if(chosen, [&](const AlertMeasurement* one) {
    return one < there && one->night != there->night && way * one->change < one->margin;
  });
  return chosen;
}

}  // namespace

double standard_error(const AlertMeasurement& one) {
  return (std::log1p(one.high) - std::log1p(one.low)) / (2 * kOneSided95);
}

Telling telling_of(std::span<const AlertMeasurement> measured, bool higher) {
  const auto chosen = telling(measured);
  if (chosen.empty()) return Telling::kUnmeasured;
  const double margin = std::log1p(chosen.back()->margin);
  const Together all = together(chosen, higher);
  const bool there = std::any_of(chosen.begin(), chosen.end(),
                                 [](const AlertMeasurement* one) { return one->reproduced; });
  if (there && all.mean - kTellSpreads * all.spread() > margin) return Telling::kTold;
  if (all.count >= kMostMeasurements) return Telling::kDismissed;
  if (all.mean < margin) return all.count >= 2 ? Telling::kDismissed : Telling::kDoubtful;
  return there ? Telling::kReproduced : Telling::kDoubtful;
}

bool is_gone(std::span<const AlertMeasurement> measured, bool higher) {
  const double half = std::abs(std::log1p(told_change(measured))) / 2;
  std::vector<const AlertMeasurement*> low;
  for (auto one = measured.rbegin(); one != measured.rend(); ++one) {
    if (!one->closing || one->reproduced || low.size() == kMostToClose) break;
    low.push_back(&*one);
    if (low.size() < 2) continue;
    // Nights count here, though nobody may have built anything since.
    Together all = together(low, higher);
    if (all.count < 2 && low.front()->night == low.back()->night) continue;
    all.count = std::max<std::size_t>(all.count, 2);
    const double bound = std::max(std::log1p(low.front()->margin), half);
    if (all.mean + kCloseSpreads * all.spread() < bound) return true;
  }
  return false;
}

double told_change(std::span<const AlertMeasurement> measured) {
  const auto chosen = telling(measured);
  return chosen.empty() ? 0 : std::expm1(together(chosen, true).mean);
}

}  // namespace stepbench::track
