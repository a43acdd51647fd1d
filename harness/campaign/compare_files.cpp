// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/compare_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/campaign/compare_key.h"
#include "harness/campaign/verdict_options.h"
#include "harness/text/words.h"

namespace stepbench::campaign {

namespace {

namespace fs = std::filesystem;

// The first definition of a name wins.
std::vector<Metric> all_columns(const compare::ComparisonSide& base,
                                const std::vector<compare::ComparisonSide>& candidates) {
  std::vector<Metric> columns;
  std::set<std::string> names;
  for (const compare::ComparisonSide& candidate : candidates) {
    for (Metric& metric : compare::common_columns(base, candidate)) {
      if (names.insert(metric.name).second) columns.push_back(std::move(metric));
    }
  }
  return columns;
}

std::vector<std::string> allowable(const std::vector<const record::Results*>& results) {
  std::vector<std::string> known = {"all", "missing"};
  known.insert(known.end(), compare::gate_names().begin(), compare::gate_names().end());
  for (const record::Results* each : results) {
    for (std::string& field : compare::environment_fields(*each)) known.push_back(std::move(field));
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

}  // namespace

std::vector<compare::Comparison> compare_files(const CompareRequest& request,
                                               const Catalogue& catalogue) {
  const record::Results base_results = record::read_results(request.base);
  std::vector<record::Results> candidate_results;
  for (const std::string& path : request.candidates) {
    candidate_results.push_back(record::read_results(path));
  }
  const compare::ComparisonSide base{&base_results, request.base};
  std::vector<compare::ComparisonSide> candidates;
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
  compare::CompareOptions options{
      .tested = tested_metrics({request.metrics, margins}, all_columns(base, candidates), nullptr),
      .allow = request.allow,
      .allow_inconclusive = request.allow_inconclusive,
      .gate_counts = by_counts,
      .count_margin = count_margin.value_or(0)};
  if (!request.ignore.empty()) {
    options.ignore = full_names(request.ignore, all);
    options.key = key_without(options.ignore, catalogue);
  }
  std::vector<compare::Comparison> comparisons =
      compare::compare_several(base, candidates, options);
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
                                        ? "'" + chosen + "' is not one of the compared results" +
                                              text::did_you_mean(chosen, all)
                                        : "'" + chosen + "' may be " + all[meant[0]] + " or " +
                                              all[meant[1]] + "; write the path");
  }
  request.base = all[meant.front()];
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(meant.front()));
  request.candidates = std::move(all);
}

}  // namespace stepbench::campaign
