// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/case_metrics.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

#include "harness/base/error.h"
#include "harness/compare/judge.h"
#include "harness/estimate/step_times.h"

namespace stepbench {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPeakMargin = 0.01;

bool reports(const CaseLaunches& one, const std::string& metric) {
  return std::any_of(one.measured.begin(), one.measured.end(), [&](const Launch* launch) {
    return launch->row.report.metrics.contains(metric);
  });
}

std::vector<double> reported(const CaseLaunches& one, const std::string& metric) {
  std::vector<double> values;
  for (const Launch* launch : one.measured) {
    const auto& metrics = launch->row.report.metrics;
    const auto found = metrics.find(metric);
    values.push_back(found == metrics.end() ? kNan : found->second.value_or(kNan));
  }
  return values;
}

// The peak that says most of a case: what the device's allocator held rather than what the process
// had.
const Metric* peak_metric(const CasePair& pair, const std::vector<Metric>& columns) {
  const Metric* best = nullptr;
  for (const Metric& metric : columns) {
    if (!metric.name.starts_with("peak_") || metric.unit != "bytes") continue;
    if (!reports(pair.base, metric.name) && !reports(pair.candidate, metric.name)) continue;
    if (best == nullptr || best->name == "peak_rss_bytes") best = &metric;
  }
  return best;
}

}  // namespace

std::vector<MetricSamples> metric_samples(const CasePair& pair, const std::vector<Metric>& columns,
                                          const Margins& margins) {
  std::vector<MetricSamples> all_samples;
  StepTimes times = step_times(pair.base.measured, pair.candidate.measured);
  all_samples.push_back({.name = "step",
                         .metric = times.latency ? "latency_p50_ns" : "step_ns",
                         .unit = "ns",
                         .primary = true,
                         .samples = {.base = std::move(times.base),
                                     .candidate = std::move(times.candidate),
                                     .margin = margins.step}});
  if (times.mixed) {
    all_samples.front().note =
        "some launches have no device times: these are judged by the host's clock, from an idle "
        "device until it was idle again";
  }
  if (const Metric* peak = peak_metric(pair, columns)) {
    PairedSamples samples{.base = reported(pair.base, peak->name),
                          .candidate = reported(pair.candidate, peak->name)};
    const bool exact =
        peak->name != "peak_rss_bytes" && constant(samples.base) && constant(samples.candidate);
    samples.margin = margins.peak_bytes.value_or(exact ? 0 : kPeakMargin);
    all_samples.push_back({.name = "peak_bytes",
                           .metric = peak->name,
                           .unit = "bytes",
                           .primary = true,
                           .samples = std::move(samples)});
  }
  for (const Metric& metric : columns) {
    if (!metric.exact || metric.direction == Direction::kNeither) continue;
    if (!reports(pair.base, metric.name) || !reports(pair.candidate, metric.name)) continue;
    all_samples.push_back({.name = metric.name,
                           .metric = metric.name,
                           .unit = metric.unit,
                           .samples = {.base = reported(pair.base, metric.name),
                                       .candidate = reported(pair.candidate, metric.name),
                                       .direction = metric.direction,
                                       .exact = true}});
  }
  return all_samples;
}

std::vector<Metric> common_columns(const ComparisonSide& base, const ComparisonSide& candidate) {
  std::vector<Metric> columns = base.results->columns;
  std::map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < columns.size(); ++i) by_name.emplace(columns[i].name, i);
  for (const Metric& metric : candidate.results->columns) {
    const auto found = by_name.find(metric.name);
    if (found == by_name.end()) {
      columns.push_back(metric);
      continue;
    }
    Metric& before = columns[found->second];
    if (before.unit != metric.unit) {
      throw ConfigError(candidate.where, "has '" + metric.name + "' in '" + metric.unit + "', " +
                                             base.where + " has it in '" + before.unit +
                                             "'; values in different units are not compared");
    }
    if (before.direction != metric.direction) {
      throw ConfigError(candidate.where, "and " + base.where +
                                             " do not agree on whether more is better for '" +
                                             metric.name + "'");
    }
    before.exact = before.exact || metric.exact;  // a file of version 1.0 does not say
  }
  return columns;
}

}  // namespace stepbench
