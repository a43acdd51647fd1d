// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/metric_values.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"

namespace stepbench::compare {

MetricValues::MetricValues(const CasePair& pair) {
  estimate::Estimates base = estimate::estimates_of(pair.base.measured);
  estimate::Estimates candidate = estimate::estimates_of(pair.candidate.measured);
  steps_ = estimate::step_times(base, candidate);
  for (std::size_t i = 0; i < base.size(); ++i) {
    base_.push_back({pair.base.measured[i], std::move(base[i])});
  }
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    candidate_.push_back({pair.candidate.measured[i], std::move(candidate[i])});
  }
}

bool MetricValues::refuses_mfu() const {
  const auto refused = [&](const Read& read) {
    if (!read.estimate) return false;
    const auto rate = estimate::model_rate_of({*read.launch, *read.estimate, steps_.clock});
    return rate && rate->refused;
  };
  return std::any_of(base_.begin(), base_.end(), refused) ||
         std::any_of(candidate_.begin(), candidate_.end(), refused);
}

template <typename Value>
MetricValues::Sides MetricValues::both(Value value_of) const {
  Sides sides;
  for (const Read& read : base_) sides.base.push_back(value_of(read));
  for (const Read& read : candidate_) sides.candidate.push_back(value_of(read));
  return sides;
}

MetricValues::Sides MetricValues::of(const TestedMetric& metric) const {
  if (metric.kind == MetricKind::kStep) return {steps_.base, steps_.candidate};
  return both([&](const Read& read) {
    if (!read.estimate) return std::numeric_limits<double>::quiet_NaN();
    const estimate::ClockedLaunch of{*read.launch, *read.estimate, steps_.clock};
    return metric.kind == MetricKind::kPhase ? estimate::phase_ns(of, metric.name)
                                             : estimate::launch_value(of, metric.metric);
  });
}

MetricValues::Sides MetricValues::reported(std::string_view metric) const {
  return both([&](const Read& read) { return estimate::reported(*read.launch, metric); });
}

std::int64_t MetricValues::fewest_steps() const {
  std::optional<std::int64_t> fewest;
  for (const std::vector<Read>* side : {&base_, &candidate_}) {
    for (const Read& read : *side) {
      if (!read.estimate) continue;
      fewest = std::min(fewest.value_or(read.estimate->steps), read.estimate->steps);
    }
  }
  return fewest.value_or(0);
}

}  // namespace stepbench::compare
