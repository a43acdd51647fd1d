// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/tested_metrics.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/catalogue/catalogue.h"
#include "harness/estimate/columns.h"
#include "harness/text/words.h"

namespace stepbench::verdict {
namespace {

constexpr std::string_view kStep = "step";
constexpr std::string_view kPeak = "peak_bytes";

std::string without_ns(const std::string& metric) {
  return metric.ends_with("_ns") ? metric.substr(0, metric.size() - 3) : metric;
}

// "samples/s" -> "samples_per_s", "p99 [ms]" -> "p99", "data wait" -> "data_wait".
std::string plain(std::string_view given) {
  std::string text(given.substr(0, given.find('[')));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) text.replace(slash, 1, "_per_");
  for (char& letter : text) {
    letter = letter == ' ' || letter == '-'
                 ? '_'
                 : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

TestedMetric step() {
  return {.name = std::string(kStep), .metric = "step_ns", .unit = "ns", .kind = MetricKind::kStep};
}

TestedMetric peak() {
  return {.name = std::string(kPeak),
          .metric = std::string(kPeak),
          .unit = "bytes",
          .kind = MetricKind::kPeak};
}

// All declared metrics: those of the file or the workers, and those of the harness, which old files
// do not repeat.
std::vector<Metric> all_metrics(const std::vector<Metric>& columns) {
  std::vector<Metric> all = columns;
  std::set<std::string> names;
  for (const Metric& metric : columns) names.insert(metric.name);
  for (const Metric& metric : estimate::harness_metrics()) {
    if (!names.contains(metric.name)) all.push_back(metric);
  }
  return all;
}

bool is_host_phase(const Metric& metric) {
  return metric.phase && metric.name.ends_with("_ns") && !metric.name.ends_with("_device_ns");
}

// Finds an exact name first, then a phase, then names without prefix or unit and table heads.
const Metric* find_metric(const std::vector<Metric>& all, std::string_view given) {
  const auto find = [&](const std::string& name) -> const Metric* {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Metric& metric) { return metric.name == name; });
    return found == all.end() ? nullptr : &*found;
  };
  const std::string name = plain(given);
  for (const std::string& full :
       {std::string(given), name + "_ns", name, "step_" + name + "_ns", "step_" + name}) {
    if (const Metric* metric = find(full)) return metric;
  }
  return nullptr;
}

TestedMetric definition(const Metric& metric) {
  if (is_host_phase(metric)) {
    return {.name = without_ns(metric.name),
            .metric = metric.name,
            .unit = "ns",
            .kind = MetricKind::kPhase};
  }
  return {.name = without_ns(metric.name),
          .metric = metric.name,
          .unit = metric.unit,
          .direction = metric.phase ? Direction::kLowerIsBetter : metric.direction,
          .exact = metric.exact};
}

[[noreturn]] void refuse_unknown(const std::string& name, const std::vector<Metric>& all) {
  std::vector<std::string> known = {std::string(kStep), std::string(kPeak)};
  for (const Metric& metric : all) {
    if (metric.direction == Direction::kNeither && !metric.phase) continue;
    known.push_back(without_ns(metric.name));
  }
  throw ConfigError(
      "--metric",
      formatted("unknown metric '{}'{}; testable: step, peak_bytes, step_p99, samples_per_s, "
                "phases such as forward, and the metrics of `stepbench list metrics`",
                name, text::did_you_mean(name, known)));
}

TestedMetric resolve(const std::string& name, const std::vector<Metric>& all) {
  const std::string given = plain(name);
  if (given == kStep || given == step().metric) return step();
  if (given == kPeak) return peak();
  const Metric* metric = find_metric(all, name);
  if (metric == nullptr) refuse_unknown(name, all);
  if (metric->direction == Direction::kNeither && !metric->phase) {
    throw ConfigError(
        "--metric",
        formatted("'{}' has no better or worse direction and cannot be judged", metric->name));
  }
  return definition(*metric);
}

}  // namespace

std::string TestedMetrics::names() const {
  return text::join(metrics, ", ", [](const TestedMetric& metric) { return metric.name; });
}

TestedMetrics default_metrics() { return {.metrics = {step(), peak()}}; }

TestedMetrics tested_metrics(std::span<const std::string> names,
                             const std::vector<Metric>& columns) {
  if (names.empty()) return default_metrics();
  const std::vector<Metric> all = all_metrics(columns);
  TestedMetrics tested{.metrics = {}, .by_default = false};
  for (const std::string& name : names) {
    TestedMetric metric = resolve(name, all);
    const bool again = std::any_of(tested.metrics.begin(), tested.metrics.end(),
                                   [&](const auto& other) { return other.name == metric.name; });
    if (!again) tested.metrics.push_back(std::move(metric));
  }
  return tested;
}

TestedMetric* find_tested(TestedMetrics& tested, std::string_view name,
                          const std::vector<Metric>& columns) {
  std::string wanted = plain(name);
  if (wanted == step().metric) wanted = kStep;
  if (wanted != kStep && wanted != kPeak) {
    const std::vector<Metric> all = all_metrics(columns);
    if (const Metric* metric = find_metric(all, name)) wanted = definition(*metric).name;
  }
  const auto found = std::find_if(tested.metrics.begin(), tested.metrics.end(),
                                  [&](const TestedMetric& one) { return one.name == wanted; });
  return found == tested.metrics.end() ? nullptr : &*found;
}

}  // namespace stepbench::verdict
