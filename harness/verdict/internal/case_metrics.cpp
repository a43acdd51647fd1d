// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/internal/case_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/text/words.h"
#include "harness/verdict/internal/judge.h"

namespace stepbench::verdict {
namespace {

constexpr std::string_view kMfu = "mfu";

bool reports(const CaseLaunches& one, std::string_view metric) {
  return std::any_of(one.measured.begin(), one.measured.end(), [&](const record::Launch* launch) {
    return launch->row.report.metrics.contains(metric);
  });
}

bool any_reports(const CasePair& pair, std::string_view metric) {
  return reports(pair.base, metric) || reports(pair.candidate, metric);
}

MetricSamples samples_of(const TestedMetric& metric, MetricValues::Sides sides) {
  return {.metric = metric,
          .primary = !metric.exact,
          .samples = {.base = std::move(sides.base),
                      .candidate = std::move(sides.candidate),
                      .direction = metric.direction,
                      .margin = metric.margin.value_or(metric.exact ? 0 : kDefaultMargin),
                      .exact = metric.exact,
                      .zeros = metric.kind != MetricKind::kStep &&
                               metric.direction != Direction::kHigherIsBetter}};
}

std::string note_on(const TestedMetric& metric, const MetricValues& values) {
  const bool by_clock = metric.kind == MetricKind::kStep || metric.kind == MetricKind::kPhase ||
                        metric.unit.ends_with("/s") || metric.metric == kMfu;
  if (by_clock && values.is_mixed()) {
    return "some launches have no device times and are excluded from verdicts on times: host and "
           "device clocks do not compare";
  }
  if (by_clock && values.has_device_spans()) {
    return "device times of files before version 1.3 exclude the time between two steps: both "
           "sides are judged by the host's clock";
  }
  if (metric.metric == kMfu && values.refuses_mfu()) {
    return "an MFU above 100 % is left out: the device's peak or the count of operations is wrong";
  }
  const std::int64_t steps = values.fewest_steps();
  if (metric.metric == "step_p99_ns" && steps > 0 &&
      steps < static_cast<std::int64_t>(estimate::kMinStepsForP99)) {
    return formatted(
        "{} of {} is little more than the slowest one; measure {} or more per launch "
        "(schedule.active)",
        metric.name, text::counted(steps, "step"), estimate::kMinStepsForP99);
  }
  return {};
}

// A peak that every launch repeats to the byte is a count: any change is real, so it needs no
// statistics and takes no power from the other tests.
MetricSamples peak_samples(TestedMetric metric, const std::string& peak,
                           const MetricValues& values) {
  constexpr std::size_t kMinToRepeat = 6;
  if (!peak.empty()) metric.metric = peak;
  MetricValues::Sides sides = values.reported(metric.metric);
  const auto repeats = [](const std::vector<double>& side) {
    return side.size() >= kMinToRepeat && constant(side);
  };
  const bool of_host = peak == record::kJobPeak || peak == record::kProcessPeak;
  metric.exact = !metric.margin && !of_host && repeats(sides.base) && repeats(sides.candidate);
  return samples_of(metric, std::move(sides));
}

void add_counts(const CasePair& pair, const std::vector<Metric>& columns,
                const MetricValues& values, std::vector<MetricSamples>& all_samples) {
  for (const Metric& metric : columns) {
    if (!metric.exact || metric.direction == Direction::kNeither) continue;
    if (!reports(pair.base, metric.name) || !reports(pair.candidate, metric.name)) continue;
    all_samples.push_back(samples_of({.name = metric.name,
                                      .metric = metric.name,
                                      .unit = metric.unit,
                                      .direction = metric.direction,
                                      .exact = true},
                                     values.reported(metric.name)));
  }
}

}  // namespace

PeakNames peak_names(const CasePair& pair) {
  PeakNames names{estimate::peak_name(pair.base.measured),
                  estimate::peak_name(pair.candidate.measured)};
  if (names.base.empty()) names.base = names.candidate;
  if (names.candidate.empty()) names.candidate = names.base;
  return names;
}

std::vector<MetricSamples> metric_samples(const CasePair& pair, const MetricValues& values,
                                          const std::vector<Metric>& columns,
                                          const TestedMetrics& tested) {
  std::vector<MetricSamples> all_samples;
  for (const TestedMetric& metric : tested.metrics) {
    if (metric.kind == MetricKind::kPeak) {
      const PeakNames names = peak_names(pair);
      if ((names.candidate.empty() || names.differ()) && tested.by_default) continue;
      all_samples.push_back(peak_samples(metric, names.candidate, values));
    } else {
      all_samples.push_back(samples_of(metric, values.of(metric)));
    }
    MetricSamples& one = all_samples.back();
    if (metric.kind == MetricKind::kStep && values.is_latency()) {
      one.metric.metric = "latency_p50_ns";
    }
    one.note = note_on(metric, values);
  }
  if (tested.by_default) add_counts(pair, columns, values, all_samples);
  return all_samples;
}

const TestedMetric* absent_metric(const CasePair& pair, const TestedMetrics& tested) {
  if (tested.by_default || (pair.base.measured.empty() && pair.candidate.measured.empty())) {
    return nullptr;
  }
  const MetricValues values(pair);
  const auto nowhere = [](const std::vector<double>& side) {
    return std::all_of(side.begin(), side.end(), [](double value) { return std::isnan(value); });
  };
  for (const TestedMetric& metric : tested.metrics) {
    if (metric.kind == MetricKind::kPeak || any_reports(pair, metric.metric)) continue;
    if (metric.metric == kMfu && values.refuses_mfu()) continue;
    const MetricValues::Sides sides = values.of(metric);
    if (nowhere(sides.base) && nowhere(sides.candidate)) return &metric;
  }
  return nullptr;
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
      throw ConfigError(
          candidate.where,
          formatted(
              "has '{}' in '{}', {} has it in '{}'; values in different units are not compared",
              metric.name, metric.unit, base.where, before.unit));
    }
    if (before.direction != metric.direction) {
      throw ConfigError(candidate.where,
                        formatted("disagrees with {} on whether more is better for '{}'",
                                  base.where, metric.name));
    }
    before.exact = before.exact || metric.exact;  // files of version 1.0 do not record it
  }
  return columns;
}

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

}  // namespace stepbench::verdict
