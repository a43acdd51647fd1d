// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/points.h"

#include <algorithm>
#include <optional>
#include <set>

#include "harness/nights/history.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::nights {
namespace {

constexpr double kConfidence = 0.95;

std::optional<double> value_of(const LaunchValues& launch, std::string_view metric) {
  const auto found = launch.values.find(metric);
  return found == launch.values.end() ? std::nullopt : std::optional(found->second);
}

// The launch whose step is the case's median, or the two that it is the mean of.
std::vector<const LaunchValues*> middle_of(std::span<const LaunchValues> launches) {
  std::vector<const LaunchValues*> all;
  for (const LaunchValues& each : launches) {
    if (value_of(each, kStepSeries)) all.push_back(&each);
  }
  if (all.empty()) return all;
  std::sort(all.begin(), all.end(), [](const LaunchValues* a, const LaunchValues* b) {
    const double first = *value_of(*a, kStepSeries);
    const double second = *value_of(*b, kStepSeries);
    return first != second ? first < second : a->launch < b->launch;
  });
  const std::size_t n = all.size();
  return {all.begin() + static_cast<std::ptrdiff_t>((n - 1) / 2),
          all.begin() + static_cast<std::ptrdiff_t>(n / 2 + 1)};
}

void estimate(CasePoint& point, const std::vector<double>& values) {
  point.value = stats::median(values);
  const auto interval = stats::median_interval(values, kConfidence);
  point.low = interval ? interval->low : point.value;
  point.high = interval ? interval->high : point.value;
}

void estimate_phase(CasePoint& point, const std::vector<const LaunchValues*>& middle) {
  for (const LaunchValues* each : middle) {
    point.value += value_of(*each, point.metric).value_or(0) / static_cast<double>(middle.size());
  }
  point.low = point.high = point.value;
}

}  // namespace

std::vector<CasePoint> case_points(std::span<const LaunchValues> launches) {
  std::set<std::string> metrics;
  std::set<std::int64_t> steps;
  for (const LaunchValues& each : launches) {
    for (const auto& [metric, value] : each.values) metrics.insert(metric);
    steps.insert(each.steps);
  }
  const std::vector<const LaunchValues*> middle = middle_of(launches);
  std::vector<CasePoint> points;
  for (const std::string& metric : metrics) {
    std::vector<double> values;
    for (const LaunchValues& each : launches) {
      if (const auto value = value_of(each, metric)) values.push_back(*value);
    }
    CasePoint point{.metric = metric,
                    .launches = static_cast<std::int64_t>(values.size()),
                    .steps = steps.size() == 1 ? *steps.begin() : 0};
    if (metric.starts_with(kPhaseSeries)) {
      estimate_phase(point, middle);
    } else {
      estimate(point, values);
    }
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace stepbench::nights
