// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/internal/comparability.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/base/value.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/words.h"

namespace stepbench::verdict {
namespace {

constexpr std::string_view kOfRank = "rank.";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLimitFp32 = 1e-4;
constexpr double kLimitTf32 = 1e-3;
constexpr double kLimitHalf = 2e-2;

// nullopt for a value of another type. JSON has null for NaN and infinities.
std::optional<double> number_or_nan(const Value& value) {
  if (is_null(value)) return kNan;
  const auto number = number_of(value);
  return number && !std::isfinite(*number) ? kNan : number;
}

}  // namespace

Fingerprints fingerprints_of(std::span<const record::Launch* const> launches) {
  std::map<std::string, std::vector<double>, std::less<>> values;
  bool first = true;
  for (const record::Launch* launch : launches) {
    const Fields& recorded = launch->row.report.fingerprint;
    if (recorded.empty()) continue;
    for (const auto& [name, value] : recorded) {
      const auto number = number_or_nan(value);
      if (!number) continue;
      if (first) values[name];
      if (const auto at = values.find(name); at != values.end()) at->second.push_back(*number);
    }
    first = false;
  }
  Fingerprints found;
  for (const auto& [name, computed] : values) {
    const bool finite = std::none_of(computed.begin(), computed.end(),
                                     [](double value) { return std::isnan(value); });
    if (!finite) {
      found.emplace(name, Computed{kNan, kNan, kNan, 0});
      continue;
    }
    const auto [low, high] = std::minmax_element(computed.begin(), computed.end());
    found.emplace(name,
                  Computed{stats::median(computed), *low, *high, relative_difference(*low, *high)});
  }
  return found;
}

std::string fingerprint_of_rank(std::string_view name, int rank) {
  return formatted("{}{}.{}", kOfRank, rank, name);
}

std::string fingerprint_words(std::string_view name) {
  if (!name.starts_with(kOfRank)) return std::string(name);
  const std::string_view of_rank = name.substr(kOfRank.size());
  const std::size_t dot = std::min(of_rank.find('.'), of_rank.size() - 1);
  return std::string(of_rank.substr(dot + 1)) + " of rank " + std::string(of_rank.substr(0, dot));
}

double relative_difference(double a, double b) {
  if (a == b || (!std::isfinite(a) && !std::isfinite(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
  return std::abs(b - a) / std::max(std::abs(a), std::abs(b));
}

double precision_limit(std::string_view precision) {
  if (precision == "bf16" || precision == "fp16") return kLimitHalf;
  return precision == "tf32" ? kLimitTf32 : kLimitFp32;
}

std::string precision_of(const record::LaunchRow& row) {
  const auto found = row.options.find("model.precision");
  return found == row.options.end() || is_null(found->second) ? "fp32"
                                                              : stepbench::to_text(found->second);
}

double same_within(double limit, double spread) {
  constexpr double kTimesOwnSpread = 2;
  return std::isfinite(spread) ? std::max(limit, kTimesOwnSpread * spread) : limit;
}

namespace {

using Values = std::map<std::string, std::set<std::string>, std::less<>>;

// Workers that ran only under another program, such as valgrind: their view of the processor is not
// the environment of a side.
std::set<std::string_view> only_wrapped_workers(const record::Results& results) {
  std::set<std::string_view> wrapped;
  for (const record::Launch& launch : results.launches) {
    if (launch.row.key.pass == Pass::kWrapped) wrapped.insert(launch.row.worker_id);
  }
  if (wrapped.empty()) return wrapped;
  for (const record::Launch& launch : results.launches) {
    if (launch.row.key.pass != Pass::kWrapped) wrapped.erase(launch.row.worker_id);
  }
  return wrapped;
}

Values values_of(const record::Results& results) {
  Values values;
  const std::set<std::string_view> excluded = only_wrapped_workers(results);
  for (const record::WorkerRow& worker : results.workers) {
    if (excluded.contains(worker.worker_id)) continue;
    for (const auto& [name, value] : worker.environment) {
      if (!is_null(value)) values[name].insert(stepbench::to_text(value));
    }
    if (!worker.build_id.empty()) values["worker.build_id"].insert(worker.build_id);
  }
  for (const record::RunRow& run : results.runs) {
    const auto found = run.context.find("data_digest");
    if (found != run.context.end() && !stepbench::to_text(found->second).empty()) {
      values["data_digest"].insert(stepbench::to_text(found->second));
    }
  }
  return values;
}

std::string joined(const std::set<std::string>& values) {
  return values.empty() ? "-" : text::join(values);
}

bool uses_gpu(const CasePairs& pairs) {
  const auto on_gpu = [](const CaseLaunches& one) {
    const auto found = one.first->options.find("device");
    return found != one.first->options.end() &&
           stepbench::to_text(found->second).starts_with("cuda");
  };
  return std::any_of(pairs.both.begin(), pairs.both.end(), [&](const CasePair& pair) {
    return on_gpu(pair.base) || on_gpu(pair.candidate);
  });
}

bool names(std::span<const std::string> list, std::string_view field) {
  return std::find(list.begin(), list.end(), field) != list.end();
}

// True for "script.digest" if the arms differ by design in "script.path", since it follows from it.
bool follows_from(std::span<const std::string> options, std::string_view field) {
  constexpr std::string_view kDigest = ".digest";
  if (!field.ends_with(kDigest)) return false;
  const std::string_view section = field.substr(0, field.size() - kDigest.size() + 1);
  return std::ranges::any_of(options,
                             [&](const std::string& each) { return each.starts_with(section); });
}

const Fields& effective_of(const CaseLaunches& one) {
  static const Fields none;
  return one.measured.empty() ? none : one.measured.front()->row.report.effective;
}

// Merges equal differences of several cases into one.
void add_effective(const CasePairs& pairs, std::vector<EnvironmentDifference>& differences) {
  std::map<std::array<std::string, 3>, std::size_t> cases;
  for (const CasePair& pair : pairs.both) {
    const Fields& a = effective_of(pair.base);
    const Fields& b = effective_of(pair.candidate);
    if (a.empty() || b.empty() || a == b) continue;
    std::set<std::string> fields;
    for (const auto& [name, value] : a) fields.insert(name);
    for (const auto& [name, value] : b) fields.insert(name);
    for (const std::string& name : fields) {
      const std::string before = text_of(a, name, "-");
      const std::string after = text_of(b, name, "-");
      if (before != after) ++cases[{name, before, after}];
    }
  }
  for (const auto& [key, count] : cases) {
    differences.push_back({.field = key[0], .base = key[1], .candidate = key[2], .cases = count});
  }
}

// True if no case reads data from disk.
bool is_made_up(const record::Results& results) {
  return std::ranges::all_of(results.launches, [](const record::Launch& launch) {
    return text_of(launch.row.options, "data.kind") == "synthetic";
  });
}

}  // namespace

FieldClass class_of(std::string_view field, bool on_gpu) {
  constexpr std::array<std::string_view, 4> kInformative = {"host", "env_removed", "path", "pid"};
  constexpr std::array<std::string_view, 4> kInformativeGroups = {"git.", "worker.", "memory.bytes",
                                                                  "numa."};
  const auto starts = [&](std::string_view prefix) { return field.starts_with(prefix); };
  if (field.ends_with("digest") || field == "cpu.model" || field == "cpu.isa") {
    return FieldClass::kMustMatch;
  }
  if (starts("gpu.")) {
    if (!on_gpu) return FieldClass::kInformative;
    return field == "gpu.driver" || field.find("clock") != std::string_view::npos
               ? FieldClass::kShouldMatch
               : FieldClass::kMustMatch;
  }
  if (std::find(kInformative.begin(), kInformative.end(), field) != kInformative.end() ||
      std::any_of(kInformativeGroups.begin(), kInformativeGroups.end(), starts) ||
      field.ends_with(".path") || field.ends_with("seed")) {
    return FieldClass::kInformative;
  }
  return FieldClass::kShouldMatch;
}

std::vector<EnvironmentDifference> environment_differences(const ComparisonSide& base,
                                                           const ComparisonSide& candidate,
                                                           const CasePairs& pairs,
                                                           std::span<const std::string> allow,
                                                           std::span<const std::string> ignore) {
  std::vector<EnvironmentDifference> differences;
  const Values a = values_of(*base.results);
  const Values b = values_of(*candidate.results);
  std::set<std::string> fields;
  for (const auto& [name, values] : a) fields.insert(name);
  for (const auto& [name, values] : b) fields.insert(name);
  const auto of = [](const Values& values, const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string("-") : joined(found->second);
  };
  for (const std::string& name : fields) {
    const std::string before = of(a, name);
    const std::string after = of(b, name);
    if (before != after) differences.push_back({.field = name, .base = before, .candidate = after});
  }
  add_effective(pairs, differences);
  std::erase_if(differences, [&](const EnvironmentDifference& difference) {
    return names(ignore, difference.field) || follows_from(ignore, difference.field);
  });
  const bool on_gpu = uses_gpu(pairs);
  const bool made_up = is_made_up(*base.results) && is_made_up(*candidate.results);
  for (EnvironmentDifference& difference : differences) {
    difference.field_class = class_of(difference.field, on_gpu);
    // Without data on disk it is the digest of a model or script file, which may be the subject of
    // the comparison.
    if (difference.field == "data_digest" && made_up) {
      difference.field_class = FieldClass::kShouldMatch;
    }
    // A field that one side does not record must not cause a refusal.
    const bool one_sided = difference.base == "-" || difference.candidate == "-";
    if (one_sided && difference.field_class == FieldClass::kMustMatch) {
      difference.field_class = FieldClass::kShouldMatch;
    }
    difference.allowed = names(allow, "all") || names(allow, difference.field);
  }
  std::stable_sort(differences.begin(), differences.end(),
                   [](const EnvironmentDifference& x, const EnvironmentDifference& y) {
                     return x.field_class < y.field_class;
                   });
  return differences;
}

std::vector<std::string> environment_fields(const record::Results& results) {
  std::set<std::string> fields = {"data_digest"};
  for (const auto& [name, values] : values_of(results)) fields.insert(name);
  for (const record::Launch& launch : results.launches) {
    for (const auto& [name, value] : launch.row.report.effective) fields.insert(name);
  }
  return {fields.begin(), fields.end()};
}

void refuse_mismatch(const ComparisonSide& candidate,
                     std::span<const EnvironmentDifference> differences) {
  std::string text;
  std::string flags;
  for (const EnvironmentDifference& difference : differences) {
    if (difference.field_class != FieldClass::kMustMatch || difference.allowed) continue;
    text += formatted("\n  {}: {} in the base, {} here", difference.field, difference.base,
                      difference.candidate);
    if (flags.find(" " + difference.field) == std::string::npos) {
      flags += " --allow " + difference.field;
    }
  }
  if (text.empty()) return;
  throw ConfigError(candidate.where,
                    formatted("was not measured in the same environment:{}\n  To compare anyway:{}",
                              text, flags));
}

namespace {

struct Sides {
  explicit Sides(const CasePair& pair)
      : base(fingerprints_of(pair.base.measured)),
        candidate(fingerprints_of(pair.candidate.measured)) {}
  Fingerprints base;
  Fingerprints candidate;
};

std::string coarser_precision(const CasePair& pair) {
  const std::string a = precision_of(*pair.base.first);
  const std::string b = precision_of(*pair.candidate.first);
  return precision_limit(a) < precision_limit(b) ? b : a;
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
    const Computed& computed = other->second;
    const double limit = same_within(precision_limit(precision), base.spread);
    for (const double candidate : {computed.value, computed.low, computed.high}) {
      const double relative = relative_difference(base.value, candidate);
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
  const double limit = precision_limit(coarser_precision(pair));
  for (const auto& [name, base] : sides.base) {
    const auto other = sides.candidate.find(name);
    if (other == sides.candidate.end()) continue;
    if (base.spread > limit) {
      notes.push_back(
          formatted("launches of the base differ in {}, {} to {}: only a larger difference of the "
                    "candidate is reported",
                    fingerprint_words(name), number_text(base.low), number_text(base.high)));
    }
    if (std::isfinite(base.value) || std::isfinite(other->second.value)) continue;
    notes.push_back(
        formatted("neither side has a finite {}: whether they compute the same is not known",
                  fingerprint_words(name)));
  }
  return notes;
}

std::string to_text(const FingerprintDifference& difference) {
  const std::string begin =
      formatted("the sides do not compute the same: {} ", fingerprint_words(difference.name));
  const std::string base = number_text(difference.base);
  const std::string candidate = number_text(difference.candidate);
  if (!std::isfinite(difference.relative)) {
    return formatted("{}is {} in the base and {} in the candidate", begin, base, candidate);
  }
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, " differ by %.1e, more than %.0e for ",
                difference.relative, difference.limit);
  return formatted("{}{} and {}{}{}", begin, base, candidate, numbers, difference.precision);
}

std::vector<std::string> take_varying_counts(std::vector<MetricSamples>& asked) {
  std::vector<std::string> notes;
  std::erase_if(asked, [&](const MetricSamples& one) {
    const std::vector<double>& base = one.samples.base;
    const std::vector<double>& candidate = one.samples.candidate;
    if (!one.samples.exact || (!varies(base) && !varies(candidate))) return false;
    notes.push_back(
        formatted("{} varies between launches, so there is no verdict on it: {} in the base, {} in "
                  "the candidate{}",
                  one.metric.name, range_text(base), range_text(candidate),
                  one.metric.unit.empty() ? "" : " (" + one.metric.unit + ')'));
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
    notes.push_back(formatted("{} {} -> {}{}, counted exactly{}", metric.name,
                              stepbench::to_text(Value{*before}), stepbench::to_text(Value{*after}),
                              metric.unit.empty() ? "" : ' ' + metric.unit,
                              timed ? "" : " in profiled launches"));
  }
  return notes;
}

}  // namespace stepbench::verdict
