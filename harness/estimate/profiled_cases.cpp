// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/profiled_cases.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "harness/base/error.h"
#include "harness/ops/op_frame.h"

namespace stepbench::estimate {
namespace {

const CaseRow* row_of_pass(const std::vector<CaseRow>& rows, const record::LaunchKey& key,
                           const std::string& run_id, Pass pass) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const CaseRow& row) {
    return row.case_id == key.case_id && row.arm == key.arm && row.run_id == run_id &&
           row.pass == pass;
  });
  return found == rows.end() ? nullptr : &*found;
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
  std::map<std::tuple<std::string, std::string, std::string, Pass>, std::size_t> index;
  std::vector<std::vector<ops::OpFrame>> frames;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchKey& key = launch.row.key;
    if (launch.ops.empty() || !key.case_id.starts_with(case_id)) continue;
    const std::string run_id =
        launch.run < results.runs.size() ? results.runs[launch.run].run_id : std::string();
    const auto [at, is_new] =
        index.try_emplace({run_id, key.case_id, key.arm, key.pass}, all.size());
    if (is_new) {
      const CaseRow* row = row_of_pass(rows, key, run_id, key.pass);
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
    profiled.within_noise = is_within_noise(profiled.overhead.value_or(0),
                                            row_of_pass(rows, key, run_id, Pass::kTiming));
  }
  if (all.empty()) {
    throw ConfigError(case_id.empty() ? "--ops" : "--case " + case_id,
                      "no launch here recorded its operations; measure with `stepbench run FILE "
                      "--profile` or `profile: {ops: native}`");
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i].table = ops::op_table_of(frames[i]);
  return all;
}

}  // namespace stepbench::estimate
