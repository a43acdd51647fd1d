// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_ab.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/plan/option_index.h"
#include "harness/record/result_file.h"
#include "harness/text/names.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

// The first definition of a name wins.
std::vector<Metric> all_columns(const verdict::ComparisonSide& base,
                                const std::vector<verdict::ComparisonSide>& candidates) {
  std::vector<Metric> columns;
  std::set<std::string> names;
  for (const verdict::ComparisonSide& candidate : candidates) {
    for (Metric& metric : verdict::common_columns(base, candidate)) {
      if (names.insert(metric.name).second) columns.push_back(std::move(metric));
    }
  }
  return columns;
}

std::vector<std::string> allowable(const std::vector<const record::Results*>& results) {
  std::vector<std::string> known = known_gates({"all", "missing"});
  for (const record::Results* each : results) {
    for (std::string& field : verdict::environment_fields(*each)) known.push_back(std::move(field));
  }
  return known;
}

const OptionValues& options_of_first(const record::Results& results) {
  static const OptionValues none;
  return results.launches.empty() ? none : results.launches.front().row.options;
}

std::string last_part(const std::string& path) {
  const fs::path whole = fs::path(path).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

constexpr std::int64_t kMaxLaunches = 100'000;  // all results are in memory, 8 KB for a launch

void refuse_many_launches(const CompareRequest& request) {
  std::int64_t lines = record::count_launches(request.base);
  for (const std::string& path : request.candidates) lines += record::count_launches(path);
  if (lines <= kMaxLaunches) return;
  throw ConfigError(
      "compare",
      formatted("takes at most {} launches at once, and these results have {}; compare runs of "
                "fewer cases, or write each with `stepbench export --format csv`",
                text::with_separators(kMaxLaunches), text::with_separators(lines)));
}

}  // namespace

std::vector<verdict::Comparison> compare_files(const CompareRequest& request,
                                               const Catalogue& catalogue) {
  refuse_many_launches(request);
  const record::Results base_results = record::read_results(request.base);
  std::vector<record::Results> candidate_results;
  for (const std::string& path : request.candidates) {
    candidate_results.push_back(record::read_results(path));
  }
  const verdict::ComparisonSide base{&base_results, request.base};
  std::vector<verdict::ComparisonSide> candidates;
  std::vector<const record::Results*> all = {&base_results};
  for (std::size_t i = 0; i < candidate_results.size(); ++i) {
    candidates.push_back({&candidate_results[i], request.candidates[i]});
    all.push_back(&candidate_results[i]);
  }
  check_allowed(request.allow, allowable(all));
  std::vector<std::string> margins = request.margins;
  const bool by_counts = request.gate_counts.value_or(std::all_of(
      candidate_results.begin(), candidate_results.end(),
      [](const record::Results& results) { return gates_counts(options_of_first(results)); }));
  std::optional<double> count_margin = take_count_margin(margins, by_counts);
  if (!count_margin) count_margin = count_margin_of(options_of_first(candidate_results.front()));
  verdict::CompareOptions options{
      .tested = tested_metrics({request.metrics, margins}, all_columns(base, candidates), nullptr),
      .allow = request.allow,
      .allow_inconclusive = request.allow_inconclusive,
      .gate_counts = by_counts,
      .count_margin = count_margin.value_or(0)};
  if (!request.ignore.empty()) {
    options.ignore = full_names(request.ignore, all);
    options.key = key_without(options.ignore, catalogue);
  }
  std::vector<verdict::Comparison> comparisons =
      verdict::compare_several(base, candidates, options);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    if (!request.ignore.empty()) continue;
    if (!comparisons[i].cases.empty()) {
      find_nearest(comparisons[i].only_base, candidate_results[i], catalogue);
      find_nearest(comparisons[i].only_candidate, base_results, catalogue);
      continue;
    }
    std::string why = no_common_case_reason(base_results, candidate_results[i], catalogue);
    if (!why.empty()) comparisons[i].warnings.push_back(std::move(why));
  }
  return comparisons;
}

void refuse_given_twice(const CompareRequest& request) {
  if (request.candidates.size() < 2) return;
  const auto place = [](const std::string& path) {
    const fs::path whole = fs::weakly_canonical(fs::absolute(path));
    return whole.has_filename() ? whole : whole.parent_path();
  };
  std::set<fs::path> seen = {place(request.base)};
  for (const std::string& path : request.candidates) {
    if (seen.insert(place(path)).second) continue;
    throw ConfigError(path, "is given twice; name each result once");
  }
}

void choose_base(const std::string& chosen, CompareRequest& request) {
  std::vector<std::string> all = {request.base};
  all.insert(all.end(), request.candidates.begin(), request.candidates.end());
  std::vector<std::size_t> meant;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == chosen) meant = {i};
    if (all[i] == chosen) break;
    if (last_part(all[i]) == last_part(chosen)) meant.push_back(i);
  }
  if (meant.size() != 1) {
    throw ConfigError("--baseline", meant.empty()
                                        ? formatted("'{}' is not one of the compared results{}",
                                                    chosen, text::did_you_mean(chosen, all))
                                        : formatted("'{}' may be {} or {}; write the path", chosen,
                                                    all[meant[0]], all[meant[1]]));
  }
  request.base = all[meant.front()];
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(meant.front()));
  request.candidates = std::move(all);
}

std::vector<std::string> full_names(const std::vector<std::string>& ignored,
                                    std::span<const record::Results* const> all) {
  std::set<std::string> known;
  for (const record::Results* results : all) {
    for (const record::Launch& launch : results->launches) {
      for (const auto& [name, value] : launch.row.options) known.insert(name);
    }
  }
  const std::vector<std::string> options(known.begin(), known.end());
  std::vector<std::string> names;
  for (const std::string& given : ignored) {
    try {
      names.push_back(text::resolve_name(given, options, "no case has an option"));
    } catch (const Error& error) {
      throw ConfigError("--ignore", error.what());
    }
  }
  return names;
}

namespace {

using KeyOptions = std::map<std::string, std::string>;

// The identifying options of a case, as written in its identity.
KeyOptions key_options(const OptionValues& of, const Catalogue& catalogue) {
  KeyOptions options;
  for (const auto& [name, value] : of) {
    const Option* option = catalogue.find_option(name);
    if (option != nullptr && option->identity == Identity::kContext) continue;
    auto text =
        plan::identity_text(name, value, option == nullptr ? Value{} : option->identity_default);
    if (text) options.emplace(name, std::move(*text));
  }
  return options;
}

constexpr std::size_t kMaxNamed = 4;  // number of differing options that are named

std::set<KeyOptions> first_cases(const record::Results& results, const Catalogue& catalogue) {
  constexpr std::size_t kMaxCases = 64;
  std::set<KeyOptions> cases;
  for (const record::Launch& launch : results.launches) {
    if (cases.size() == kMaxCases) break;
    cases.insert(key_options(launch.row.options, catalogue));
  }
  return cases;
}

std::vector<std::string> differing(const KeyOptions& a, const KeyOptions& b) {
  std::set<std::string> names;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second != value) names.insert(name);
  }
  for (const auto& [name, value] : b) {
    if (!a.contains(name)) names.insert(name);
  }
  return {names.begin(), names.end()};
}

}  // namespace

verdict::CaseKey key_without(const std::vector<std::string>& ignored, const Catalogue& catalogue) {
  return [ignored, &catalogue](const record::LaunchRow& row) {
    std::string key;
    for (const auto& [name, text] : key_options(row.options, catalogue)) {
      if (std::find(ignored.begin(), ignored.end(), name) != ignored.end()) continue;
      key.append(name).append("=").append(std::to_string(text.size())).append(":");
      key.append(text).append("\n");
    }
    return key;
  };
}

namespace {

struct Nearest {
  std::string differs = {};  // "loader.engine (thread -> inline), seed (0 -> 1)"
  std::vector<std::string> names = {};
};

std::string value_text(const KeyOptions& of, const std::string& name, const Catalogue& catalogue) {
  const auto found = of.find(name);
  if (found != of.end()) return found->second;
  const Option* option = catalogue.find_option(name);
  return option == nullptr || is_null(option->identity_default) ? std::string("unset")
                                                                : to_text(option->identity_default);
}

// The case that differs from `one` in the fewest options; empty if all differ too much.
Nearest nearest_case(const KeyOptions& one, const std::set<KeyOptions>& cases,
                     const Catalogue& catalogue) {
  Nearest nearest;
  const KeyOptions* found = nullptr;
  for (const KeyOptions& options : cases) {
    std::vector<std::string> names = differing(options, one);
    if (names.size() > kMaxNamed || (found != nullptr && names.size() >= nearest.names.size())) {
      continue;
    }
    nearest.names = std::move(names);
    found = &options;
  }
  if (found == nullptr) return nearest;
  nearest.differs = text::join(nearest.names, ", ", [&](const std::string& name) {
    return formatted("{} ({} -> {})", name, value_text(*found, name, catalogue),
                     value_text(one, name, catalogue));
  });
  return nearest;
}

}  // namespace

std::string no_common_case_reason(const record::Results& base, const record::Results& candidate,
                                  const Catalogue& catalogue) {
  const auto olds = first_cases(base, catalogue);
  Nearest fewest;
  for (const KeyOptions& options : first_cases(candidate, catalogue)) {
    Nearest nearest = nearest_case(options, olds, catalogue);
    const bool nearer = fewest.names.empty() ||
                        (!nearest.names.empty() && nearest.names.size() < fewest.names.size());
    if (nearer) fewest = std::move(nearest);
  }
  if (fewest.names.empty()) return {};
  return formatted(
      "no case in common: the most similar ones differ in {}; to compare them anyway: --ignore {}",
      fewest.differs, text::join(fewest.names, " --ignore "));
}

void find_nearest(std::vector<verdict::MissingCase>& missing, const record::Results& others,
                  const Catalogue& catalogue) {
  constexpr std::size_t kMostCases = 8;
  if (missing.empty()) return;
  const auto cases = first_cases(others, catalogue);
  for (std::size_t i = 0; i < std::min(missing.size(), kMostCases); ++i) {
    const KeyOptions options = key_options(missing[i].options, catalogue);
    missing[i].nearest = nearest_case(options, cases, catalogue).differs;
  }
}

}  // namespace stepbench::campaign
