// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/case_rows.h"

#include <cstddef>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/ops/op_table.h"

namespace stepbench::estimate {
namespace {

// Case, arm, run and pass.
using Key = std::tuple<std::string, std::string, std::string, Pass>;
using RowsByKey = std::map<Key, const CaseRow*>;

RowsByKey rows_by_key(const std::vector<CaseRow>& rows) {
  RowsByKey by_key;
  for (const CaseRow& row : rows) {
    by_key.emplace(Key(row.case_id, row.arm, row.run_id, row.pass), &row);
  }
  return by_key;
}

const CaseRow* row_of(const RowsByKey& rows, const Key& key) {
  const auto found = rows.find(key);
  return found == rows.end() ? nullptr : found->second;
}

}  // namespace

bool is_within_noise(double overhead, const CaseRow* timed) {
  if (overhead <= 1) return true;
  const bool has_spread =
      timed != nullptr && timed->step_ns && !timed->latency_ns && timed->spread != Spread::kNone;
  return has_spread && overhead * *timed->step_ns <= timed->interval_ns.high;
}

std::vector<ProfiledCase> profiled_cases(const record::Results& results,
                                         const std::string& case_id) {
  const std::vector<CaseRow> rows = case_rows(results);
  const RowNames names(rows, results);
  std::vector<ProfiledCase> all;
  const RowsByKey rows_by = rows_by_key(rows);
  std::map<Key, std::size_t> index;
  std::vector<std::vector<ops::OpFrame>> frames;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchKey& key = launch.row.key;
    if (launch.ops.empty() || !key.case_id.starts_with(case_id)) continue;
    const std::string run_id =
        launch.run < results.runs.size() ? results.runs[launch.run].run_id : std::string();
    const auto [at, is_new] =
        index.try_emplace({key.case_id, key.arm, run_id, key.pass}, all.size());
    if (is_new) {
      const CaseRow* row = row_of(rows_by, at->first);
      all.push_back({.case_id = key.case_id,
                     .label = row == nullptr ? key.case_id : names.name(*row),
                     .engine = std::string(name_of(key.pass))});
      frames.emplace_back();
    }
    ProfiledCase& profiled = all[at->second];
    ++profiled.launches;
    std::vector<ops::OpFrame>& own = frames[at->second];
    own.insert(own.end(), launch.ops.begin(), launch.ops.end());
    const auto overhead = launch.row.report.metrics.find("profile_overhead");
    if (overhead != launch.row.report.metrics.end()) profiled.overhead = overhead->second;
    profiled.within_noise =
        is_within_noise(profiled.overhead.value_or(0),
                        row_of(rows_by, {key.case_id, key.arm, run_id, Pass::kTiming}));
  }
  if (all.empty()) {
    throw ConfigError(case_id.empty() ? "--ops" : "--case " + case_id,
                      "no launch here recorded its operations; measure with `stepbench run FILE "
                      "--profile` or `profile: {ops: native}`");
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i].table = ops::op_table_of(frames[i]);
  return all;
}

std::string benchmark_name_part(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  constexpr std::string_view kAllowed = "_-.";
  std::string part;
  for (const char c : text.substr(0, kLongest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    part += plain || kAllowed.find(c) != std::string_view::npos ? c : '_';
  }
  return part;
}

std::string benchmark_name(std::string_view workload, const OptionValues& options,
                           const std::vector<std::string>& varying) {
  std::string name = benchmark_name_part(workload.empty() ? "case" : workload);
  for (const std::string& option : varying) {
    const auto found = options.find(option);
    if (found == options.end() || is_null(found->second)) continue;
    name += formatted("/{}:{}", benchmark_name_part(short_name(option, varying)),
                      benchmark_name_part(to_text(found->second)));
  }
  return name;
}

std::vector<std::string> distinct_names(std::vector<std::string> names,
                                        std::span<const std::string_view> case_ids) {
  constexpr std::size_t kDigits = 8;
  std::unordered_map<std::string, int> uses;
  for (const std::string& name : names) ++uses[name];
  std::unordered_set<std::string> used;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string& name = names[i];
    if (uses[name] > 1) name += "/case:" + benchmark_name_part(case_ids[i].substr(0, kDigits));
    while (!used.insert(name).second) name += '_';
  }
  return names;
}

}  // namespace stepbench::estimate
