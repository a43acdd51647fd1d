// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/exact_counts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace stepbench {
namespace {

bool reported(const std::vector<const Launch*>& launches, const std::string& metric) {
  return std::any_of(launches.begin(), launches.end(), [&](const Launch* launch) {
    return launch->row.report.metrics.contains(metric);
  });
}

// Nothing when a launch lacks it or two differ.
std::optional<double> repeated(const std::vector<const Launch*>& launches,
                               const std::string& metric) {
  std::optional<double> value;
  for (const Launch* launch : launches) {
    const auto& metrics = launch->row.report.metrics;
    const auto found = metrics.find(metric);
    if (found == metrics.end() || !found->second) return std::nullopt;
    if (value && *value != *found->second) return std::nullopt;
    value = *found->second;
  }
  return value;
}

// "0 to 3"; one number where all launches have it; empty without a number.
std::string range_text(const std::vector<double>& values) {
  std::vector<double> known;
  std::copy_if(values.begin(), values.end(), std::back_inserter(known),
               [](double value) { return std::isfinite(value); });
  if (known.empty()) return {};
  const auto [low, high] = std::minmax_element(known.begin(), known.end());
  const std::string least = to_text(Value{*low});
  return *low == *high ? least : least + " to " + to_text(Value{*high});
}

bool varies(const std::vector<double>& values) {
  return range_text(values).find(" to ") != std::string::npos;
}

}  // namespace

std::vector<std::string> take_varying_counts(std::vector<MetricQuestion>& asked) {
  std::vector<std::string> notes;
  std::erase_if(asked, [&](const MetricQuestion& one) {
    const std::vector<double>& base = one.question.base;
    const std::vector<double>& candidate = one.question.candidate;
    if (!one.question.exact || (!varies(base) && !varies(candidate))) return false;
    notes.push_back(one.name + " varies between launches, so there is no verdict on it: " +
                    range_text(base) + " in the base, " + range_text(candidate) +
                    " in the candidate" + (one.unit.empty() ? "" : " (" + one.unit + ')'));
    return true;
  });
  return notes;
}

std::vector<std::string> exact_count_notes(const CountedLaunches& base,
                                           const CountedLaunches& candidate,
                                           const std::vector<Metric>& columns) {
  std::vector<std::string> notes;
  for (const Metric& metric : columns) {
    if (!metric.exact) continue;
    const bool timed = reported(base.timed, metric.name) && reported(candidate.timed, metric.name);
    if (timed && metric.direction != Direction::kNeither) continue;  // it has a verdict
    const auto before = repeated(timed ? base.timed : base.profiled, metric.name);
    const auto after = repeated(timed ? candidate.timed : candidate.profiled, metric.name);
    if (!before || !after || *before == *after) continue;
    notes.push_back(metric.name + ' ' + to_text(Value{*before}) + " -> " + to_text(Value{*after}) +
                    (metric.unit.empty() ? "" : ' ' + metric.unit) + ", counted exactly" +
                    (timed ? "" : " in profiled launches"));
  }
  return notes;
}

}  // namespace stepbench
