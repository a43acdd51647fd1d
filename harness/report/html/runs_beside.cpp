// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/runs_beside.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/text/numbers.h"

namespace stepbench::report {
namespace {

// "53.2 [52.9, 53.6]", with the bounds of the table of cases.
document::Cell estimate_cell(const estimate::CaseRow& row, const text::TimeUnit& unit) {
  if (!row.headline_ns()) {
    const bool failed = !row.failed.empty();
    return failed ? "failed" : row.skipped.empty() ? "unfinished" : "skipped";
  }
  const double value = *row.headline_ns() / unit.ns;
  std::string text = text::significant(value);
  if (row.spread != estimate::Spread::kNone) {
    text +=
        ' ' + text::interval_text(row.interval_ns.low / unit.ns, row.interval_ns.high / unit.ns);
  }
  return {std::move(text), value};
}

struct CaseOfRuns {
  const estimate::CaseRow* first = nullptr;
  std::map<std::size_t, const estimate::CaseRow*> by_run = {};
};

}  // namespace

std::optional<document::Table> compared_runs_table(const TableFacts& facts) {
  std::vector<std::string> runs;
  std::vector<CaseOfRuns> cases;
  std::map<std::pair<std::string, std::string>, std::size_t> places;  // by case and arm
  for (const estimate::CaseRow& row : facts.rows) {
    auto run = std::find(runs.begin(), runs.end(), row.run_id);
    if (run == runs.end()) run = runs.insert(run, row.run_id);
    const auto [at, is_new] = places.try_emplace({row.case_id, row.arm}, cases.size());
    if (is_new) cases.push_back({.first = &row});
    cases[at->second].by_run[static_cast<std::size_t>(run - runs.begin())] = &row;
  }
  const auto is_shared = [](const CaseOfRuns& each) { return each.by_run.size() > 1; };
  if (runs.size() < 2 || std::none_of(cases.begin(), cases.end(), is_shared)) return std::nullopt;
  document::Table table{
      .title = "Runs beside each other: " +
               std::string(facts.latencies.contains(true) ? "latency p50" : "step") + " [" +
               std::string(facts.unit.name) + "] with its interval or range",
      .columns = {document::words("case")},
      .rows = {}};
  for (const std::string& run : runs) {
    table.columns.push_back({.head = facts.names.run({.case_id = {}, .run_id = run})});
  }
  for (const CaseOfRuns& each : cases) {
    std::string name = estimate::case_label(each.first->options(), facts.names.varying());
    if (name.empty()) name = estimate::case_subject(each.first->options(), each.first->workload);
    if (!each.first->arm.empty()) name += " (arm " + each.first->arm + ')';
    std::vector<document::Cell>& row = table.rows.emplace_back().cells;
    row.push_back(std::move(name));
    for (std::size_t run = 0; run < runs.size(); ++run) {
      const auto found = each.by_run.find(run);
      row.push_back(found == each.by_run.end() ? document::Cell{"-"}
                                               : estimate_cell(*found->second, facts.unit));
    }
  }
  return table;
}

}  // namespace stepbench::report
