// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/same_work.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <optional>

#include "harness/record/fingerprint.h"

namespace stepbench::compare {
namespace {

struct Sides {
  explicit Sides(const CasePair& pair)
      : base(record::fingerprints_of(pair.base.measured)),
        candidate(record::fingerprints_of(pair.candidate.measured)) {}
  record::Fingerprints base;
  record::Fingerprints candidate;
};

std::string coarser_precision(const CasePair& pair) {
  const std::string a = record::precision_of(*pair.base.first);
  const std::string b = record::precision_of(*pair.candidate.first);
  return record::precision_limit(a) < record::precision_limit(b) ? b : a;
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "no finite number";
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

bool reported(const std::vector<const record::Launch*>& launches, const std::string& metric) {
  return std::any_of(launches.begin(), launches.end(), [&](const record::Launch* launch) {
    return launch->row.report.metrics.contains(metric);
  });
}

// nullopt if a launch lacks it or launches differ.
std::optional<double> repeated(const std::vector<const record::Launch*>& launches,
                               const std::string& metric) {
  std::optional<double> value;
  for (const record::Launch* launch : launches) {
    const auto& metrics = launch->row.report.metrics;
    const auto found = metrics.find(metric);
    if (found == metrics.end() || !found->second) return std::nullopt;
    if (value && *value != *found->second) return std::nullopt;
    value = *found->second;
  }
  return value;
}

std::vector<double> finite(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values;
}

// "0 to 3"; a single number if all are equal; empty without finite values.
std::string range_text(const std::vector<double>& values) {
  const std::vector<double> known = finite(values);
  if (known.empty()) return {};
  const auto [low, high] = std::minmax_element(known.begin(), known.end());
  const std::string least = stepbench::to_text(Value{*low});
  return *low == *high ? least : least + " to " + stepbench::to_text(Value{*high});
}

bool varies(const std::vector<double>& values) {
  const std::vector<double> known = finite(values);
  return std::ranges::adjacent_find(known, std::not_equal_to{}) != known.end();
}

}  // namespace

std::optional<FingerprintDifference> fingerprint_difference(const CasePair& pair) {
  const Sides sides(pair);
  const std::string precision = coarser_precision(pair);
  std::optional<FingerprintDifference> worst;
  for (const auto& [name, base] : sides.base) {
    const auto other = sides.candidate.find(name);
    if (other == sides.candidate.end()) continue;
    const record::Computed& computed = other->second;
    const double limit = record::same_within(record::precision_limit(precision), base.spread);
    for (const double candidate : {computed.value, computed.low, computed.high}) {
      const double relative = record::relative_difference(base.value, candidate);
      if (!(relative > limit) || (worst && worst->relative >= relative)) continue;
      worst = {.name = name,
               .base = base.value,
               .candidate = candidate,
               .relative = relative,
               .limit = limit,
               .precision = precision};
    }
  }
  return worst;
}

std::vector<std::string> fingerprint_notes(const CasePair& pair) {
  const Sides sides(pair);
  std::vector<std::string> notes;
  const double limit = record::precision_limit(coarser_precision(pair));
  for (const auto& [name, base] : sides.base) {
    const auto other = sides.candidate.find(name);
    if (other == sides.candidate.end()) continue;
    if (base.spread > limit) {
      notes.push_back("launches of the base differ in " + record::fingerprint_words(name) + ", " +
                      number_text(base.low) + " to " + number_text(base.high) +
                      ": only a larger difference of the candidate is reported");
    }
    if (std::isfinite(base.value) || std::isfinite(other->second.value)) continue;
    notes.push_back("neither side has a finite " + record::fingerprint_words(name) +
                    ": whether they compute the same is not known");
  }
  return notes;
}

std::string to_text(const FingerprintDifference& difference) {
  const std::string begin =
      "the sides do not compute the same: " + record::fingerprint_words(difference.name) + ' ';
  const std::string base = number_text(difference.base);
  const std::string candidate = number_text(difference.candidate);
  if (!std::isfinite(difference.relative)) {
    return begin + "is " + base + " in the base and " + candidate + " in the candidate";
  }
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, " differ by %.1e, more than %.0e for ",
                difference.relative, difference.limit);
  return begin + base + " and " + candidate + numbers + difference.precision;
}

std::vector<std::string> take_varying_counts(std::vector<MetricSamples>& asked) {
  std::vector<std::string> notes;
  std::erase_if(asked, [&](const MetricSamples& one) {
    const std::vector<double>& base = one.samples.base;
    const std::vector<double>& candidate = one.samples.candidate;
    if (!one.samples.exact || (!varies(base) && !varies(candidate))) return false;
    notes.push_back(one.metric.name +
                    " varies between launches, so there is no verdict on it: " + range_text(base) +
                    " in the base, " + range_text(candidate) + " in the candidate" +
                    (one.metric.unit.empty() ? "" : " (" + one.metric.unit + ')'));
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
    if (timed && metric.direction != Direction::kNeither) continue;  // has a verdict of its own
    const auto before = repeated(timed ? base.timed : base.profiled, metric.name);
    const auto after = repeated(timed ? candidate.timed : candidate.profiled, metric.name);
    if (!before || !after || *before == *after) continue;
    notes.push_back(metric.name + ' ' + stepbench::to_text(Value{*before}) + " -> " +
                    stepbench::to_text(Value{*after}) +
                    (metric.unit.empty() ? "" : ' ' + metric.unit) + ", counted exactly" +
                    (timed ? "" : " in profiled launches"));
  }
  return notes;
}

}  // namespace stepbench::compare
