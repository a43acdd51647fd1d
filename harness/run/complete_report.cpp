// SPDX-License-Identifier: Apache-2.0
#include "harness/run/complete_report.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/analyze/rules.h"
#include "harness/base/error.h"
#include "harness/base/value.h"
#include "harness/findings/finding.h"
#include "harness/ops/op_frame.h"
#include "harness/ops/op_table.h"
#include "harness/record/warmup.h"
#include "harness/trace/op_log_of.h"
#include "harness/trace/read_trace.h"

namespace stepbench::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrace = "profile.trace";
constexpr const char* kTraces = "traces";

// A worker may send a cycle in several parts.
std::vector<Series> whole_cycles(const std::vector<record::CycleSamples>& parts) {
  std::map<std::int64_t, Series> cycles;
  for (const record::CycleSamples& part : parts) {
    Series& whole = cycles[part.cycle];
    if (whole.names.empty()) {
      whole = part.steps;
      continue;
    }
    for (std::size_t i = 0; i < whole.names.size(); ++i) {
      const std::vector<std::int64_t>* more = part.steps.find(whole.names[i]);
      if (more != nullptr)
        whole.columns[i].insert(whole.columns[i].end(), more->begin(), more->end());
    }
  }
  std::vector<Series> all;
  for (auto& [number, cycle] : cycles) {
    const std::size_t steps = cycle.column("step_ns").size();
    const bool even = std::all_of(cycle.columns.begin(), cycle.columns.end(),
                                  [&](const auto& column) { return column.size() == steps; });
    if (even) all.push_back(std::move(cycle));
  }
  return all;
}

std::optional<analyze::RankTrace> take_ops(record::Launch& launch, const fs::path& file) {
  const trace::Trace trace = trace::read_trace(file);
  const bool sent_ops = !launch.ops.empty();
  if (!sent_ops) launch.ops = ops::frames_of(ops::make_op_table(trace::op_log_of(trace)));
  const analyze::Analysis analysis = analyze::analyse(trace);
  std::optional<analyze::RankTrace> of_rank;
  if (launch.row.world > 1) of_rank = analyze::rank_trace(file.string(), trace, analysis);
  if (sent_ops || analysis.blocked()) return of_rank;
  for (Finding& finding : analyze::find_causes(trace, analysis)) {
    // edge_step_bias always applies here, because the recording begins and ends with the window.
    const bool is_reported = finding.undecided.empty() && finding.id != "trace.edge_step_bias";
    if (is_reported) launch.row.report.findings.push_back(std::move(finding));
  }
  return of_rank;
}

}  // namespace

void add_warmup_verdict(record::Launch& launch) {
  record::LaunchReport& report = launch.row.report;
  if (launch.samples.empty() || report.schedule.contains("warmup_verdict")) return;
  record::put_warmup(record::judge_windows(whole_cycles(launch.samples)), report);
}

std::optional<analyze::RankTrace> add_traced_ops(record::Launch& launch, const fs::path& run_dir) {
  record::LaunchReport& report = launch.row.report;
  const auto named = report.effective.find(kTrace);
  const bool is_of_use = launch.ops.empty() || launch.row.world > 1;
  if (!is_profiling(launch.row.key.pass) || !is_of_use || named == report.effective.end()) {
    return std::nullopt;
  }
  // Never read a file outside the folder, whatever path the worker sends.
  const fs::path folder = run_dir / kTraces;
  const fs::path file = folder / fs::path(to_text(named->second)).filename();
  std::optional<analyze::RankTrace> of_rank;
  try {
    of_rank = take_ops(launch, file);
  } catch (const Error& error) {
    report.notes.push_back(std::string("profiled operations: ") + error.what());
  }
  const auto asked = launch.row.options.find(kTrace);
  const bool keep =
      asked != launch.row.options.end() && !is_null(asked->second) && asked->second != Value(false);
  if (keep) return of_rank;
  std::error_code ignored;
  fs::remove(file, ignored);
  fs::remove(folder, ignored);  // fails unless empty
  report.effective.erase(kTrace);
  return of_rank;
}

}  // namespace stepbench::run
