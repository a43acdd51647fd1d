// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/pair_values.h"

#include <algorithm>
#include <cmath>

#include "harness/bisect/sequential_test.h"
#include "harness/compare/ab_pairs.h"
#include "harness/compare/metric_values.h"
#include "harness/compare/tested_metrics.h"

namespace stepbench::bisect {
namespace {

// From nothing to something is a rise too: as if one had been there.
double log_ratio_of_counts(const compare::MetricResult& metric) {
  const double base = metric.test.base_median;
  const double candidate = metric.test.candidate_median;
  const double least = base > 0 && candidate > 0 ? 0 : 1;
  return std::log((candidate + least) / (base + least));
}

}  // namespace

std::vector<double> log_ratios_of(const record::Results& results, const compare::AbPoint& point,
                                  const compare::TestedMetrics& tested,
                                  const std::vector<Metric>& columns, std::size_t most) {
  std::vector<const record::Launch*> launches;
  for (const record::Launch& launch : results.launches) launches.push_back(&launch);
  const compare::AbPairs pairs = compare::ab_pairs(launches, {point}, most).front();
  if (pairs.pair.base.measured.empty() || pairs.pair.candidate.measured.empty()) return {};
  const compare::PairedSamples samples =
      compare::metric_samples(pairs, columns, tested).front().samples;
  const double sign = samples.direction == Direction::kHigherIsBetter ? -1 : 1;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(samples.base.size(), samples.candidate.size()); ++i) {
    const double ratio = sign * std::log(samples.candidate[i] / samples.base[i]);
    if (std::isfinite(ratio)) ratios.push_back(ratio);
  }
  return ratios;
}

std::string risen_count(const compare::CaseResult& one) {
  const compare::MetricResult* most = nullptr;
  for (const compare::MetricResult& metric : one.metrics) {
    const bool rose = metric.decides && metric.test.verdict == compare::Verdict::kRegression;
    if (rose && (most == nullptr || log_ratio_of_counts(metric) > log_ratio_of_counts(*most))) {
      most = &metric;
    }
  }
  return most == nullptr ? std::string() : most->metric;
}

std::optional<double> log_ratio_of_count(const compare::CaseResult& one, std::string_view count) {
  const auto found = std::ranges::find(one.metrics, count, &compare::MetricResult::metric);
  if (found == one.metrics.end()) return std::nullopt;
  const double ratio = log_ratio_of_counts(*found);
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

std::vector<double> log_ratios_of_count(const compare::CaseResult& one, std::string_view count) {
  const std::optional<double> ratio = log_ratio_of_count(one, count);
  return ratio ? std::vector<double>(kFewestPairs, *ratio) : std::vector<double>();
}

}  // namespace stepbench::bisect
