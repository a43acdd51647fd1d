// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "harness/report/case_table.h"
#include "harness/report/export.h"
#include "harness/report/html/case_chart.h"
#include "harness/report/html/overview.h"
#include "harness/report/html/report.h"
#include "harness/report/html/run_sections.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::string title_of_runs(const record::Results& results) {
  std::vector<std::string> names;
  for (const record::RunRow& run : results.runs) {
    const std::string& name = run.name.empty() ? run.run_id : run.name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names.empty() ? "Report" : text::join(names);
}

// "12 cases, 72 launches, 14,400 steps"
std::string counts_of(const TableFacts& facts) {
  std::set<std::string> cases;
  std::int64_t launches = 0;
  std::int64_t steps = 0;
  for (const estimate::CaseRow& row : facts.rows) {
    cases.insert(row.case_id);
    launches += std::ssize(row.measured);
    for (const estimate::MeasuredLaunch& each : row.measured) steps += each.estimate.steps;
  }
  return text::counted(std::ssize(cases), "case") + ", " + text::counted(launches, "launch") +
         ", " + text::counted(steps, "step");
}

}  // namespace

ReportContent run_content(const record::Results& results, const std::vector<std::string>& files,
                          const DrawOptions& draw) {
  const TableFacts facts = table_facts(results, {});
  ReportContent content{
      .kind = "run",
      .title = title_of_runs(results),
      .answer = overview_answer(facts),
      .sections = {},
      .data = json_of(facts.rows, results, {}, estimate::Proposals(facts.rows, results)),
      .summary = counts_of(facts)};
  const auto add = [&](std::optional<document::Chapter> section) {
    if (section) content.sections.push_back(std::move(*section));
  };
  // Details behind the answer start folded.
  const auto add_detail = [&](std::optional<document::Chapter> section) {
    if (section) section->folded = true;
    add(std::move(section));
  };
  DrawOptions drawing = draw;
  drawing.show_command = "stepbench show " + text::join(files, " ", text::shell_word);
  json::JsonText charts;
  charts.open_object();
  add_cases(charts, facts, drawing);
  add(sweep_section(facts, charts));
  add(overview_section(facts));
  add(anatomy_section(facts));
  add(ranks_section(facts));
  add(findings_section(facts));
  add(ops_section(results, charts));
  add_detail(distributions_section(facts, drawing));
  add_detail(launches_section(facts, drawing, charts));
  add_detail(numbers_section(facts));
  add_detail(environment_section(facts, files));
  content.charts = charts.close_object().take();
  content.measured =
      std::any_of(facts.rows.begin(), facts.rows.end(),
                  [](const estimate::CaseRow& row) { return !row.measured.empty(); });
  return content;
}

}  // namespace stepbench::report
