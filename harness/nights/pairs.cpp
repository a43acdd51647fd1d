// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/pairs.h"

#include <algorithm>
#include <cmath>

#include "harness/nights/pairs_text.h"
#include "harness/stats/order.h"

namespace stepbench::nights {
namespace {

constexpr double kSmallShare = .02;  // of the step

std::vector<double> known(std::span<const double> values) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](double value) { return std::isfinite(value); });
  return finite;
}

bool is_small(const MeasuredValues& values) {
  const auto is_zero = [](double value) { return value == 0; };
  if (std::ranges::any_of(values.tonight, is_zero) ||
      std::ranges::any_of(values.reference, is_zero))
    return true;
  const std::vector<double> reference = known(values.reference);
  const std::vector<double> steps = known(values.steps);
  return !reference.empty() && !steps.empty() &&
         stats::median(reference) < kSmallShare * stats::median(steps);
}

}  // namespace

SeriesPairs series_pairs(const std::string& series, const MeasuredValues& values) {
  SeriesPairs measured{.series = series, .as_share = values.as_share.value_or(is_small(values))};
  const std::size_t launches = std::min(values.tonight.size(), values.reference.size());
  for (std::size_t i = 0; i < launches; ++i) {
    const double tonight = values.tonight[i];
    const double reference = values.reference[i];
    const double step = i < values.steps.size() ? values.steps[i] : 0;
    const double pair =
        measured.as_share ? (tonight - reference) / step : std::log(tonight / reference);
    if (!std::isfinite(pair)) continue;
    measured.pairs.push_back(rounded_pair(pair));
    if (i < values.first) ++measured.first;
  }
  const std::vector<double> reference = known(values.reference);
  if (!reference.empty()) measured.reference = stats::median(reference);
  return measured;
}

const SeriesPairs* NightPairs::find(std::string_view id) const {
  const auto found = std::ranges::find(series, id, &SeriesPairs::series);
  return found == series.end() ? nullptr : &*found;
}

bool NightPairs::begins_reference() const {
  return !night.run.empty() && reference_run == night.run;
}

}  // namespace stepbench::nights
