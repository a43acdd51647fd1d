// SPDX-License-Identifier: Apache-2.0
#include "harness/report/profiled_cases.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "harness/base/error.h"
#include "harness/ops/op_frame.h"
#include "harness/record/encode.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

const CaseRow* timed_row(const std::vector<CaseRow>& rows, const LaunchKey& key) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const CaseRow& row) {
    return row.case_id == key.case_id && row.arm == key.arm && row.pass == Pass::kTiming;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::string label_of(const std::vector<CaseRow>& rows, const std::vector<std::string>& varying,
                     const LaunchKey& key) {
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const CaseRow& each) { return each.case_id == key.case_id; });
  const std::string label =
      row == rows.end() ? key.case_id : case_label(row->options, varying, row->case_id);
  return key.arm.empty() ? label : label + " (arm " + key.arm + ')';
}

}  // namespace

std::string recording_cost(std::optional<double> overhead, const CaseRow* timed) {
  if (!overhead) return "recording cost: unknown, no timing launch beside it";
  const bool has_spread =
      timed != nullptr && timed->step_ns && !timed->latency_ns && timed->spread != Spread::kNone;
  const bool inside = has_spread && *overhead * *timed->step_ns <= timed->interval_ns.high;
  if (*overhead <= 1 || inside) return "recording cost: within noise";
  return "recording cost: " + significant(*overhead) + "x the step";
}

std::vector<ProfiledCase> profiled_cases(const Results& results, const std::string& case_id) {
  const std::vector<CaseRow> rows = case_rows(results);
  const std::vector<std::string> varying = varying_options(rows, results);
  std::vector<ProfiledCase> all;
  std::map<std::tuple<std::string, std::string, Pass>, std::size_t> index;
  std::vector<std::vector<OpFrame>> frames;
  for (const Launch& launch : results.launches) {
    const LaunchKey& key = launch.row.key;
    if (launch.ops.empty() || !key.case_id.starts_with(case_id)) continue;
    const auto [at, is_new] = index.try_emplace({key.case_id, key.arm, key.pass}, all.size());
    if (is_new) {
      all.push_back({.case_id = key.case_id,
                     .label = label_of(rows, varying, key),
                     .engine = std::string(name_of(key.pass)),
                     .cost = {}});
      frames.emplace_back();
    }
    ProfiledCase& profiled = all[at->second];
    ++profiled.launches;
    std::vector<OpFrame>& own = frames[at->second];
    own.insert(own.end(), launch.ops.begin(), launch.ops.end());
    const auto overhead = launch.row.report.metrics.find("profile_overhead");
    if (overhead != launch.row.report.metrics.end()) profiled.overhead = overhead->second;
    profiled.cost = recording_cost(profiled.overhead, timed_row(rows, key));
  }
  if (all.empty()) {
    throw ConfigError(case_id.empty() ? "--ops" : "--case " + case_id,
                      "no launch here recorded its operations; measure with `stepbench run FILE "
                      "--profile` or `profile: {ops: native}`");
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i].table = op_table_of(frames[i]);
  return all;
}

std::string heading(const ProfiledCase& profiled) {
  std::string text = profiled.label + "  (" + profiled.engine;
  if (profiled.launches > 1) text += ", " + counted(profiled.launches, "launch");
  return text + ", " + profiled.cost + ')';
}

}  // namespace stepbench
