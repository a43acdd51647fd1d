// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/report/internal/export_formats.h"
#include "harness/report/internal/openmetrics.h"

namespace stepbench::report {
namespace {

// One label per known fact.
std::string facts_text(GaugePage::Labels facts, const record::RunRow& run,
                       const record::Results& results) {
  facts.insert(facts.end(), {{"run_id", run.run_id},
                             {"version", run.stepbench_version},
                             {"git_sha", text_of(run.context, "git.sha")}});
  if (!results.workers.empty()) {
    for (const auto& [label, field] : {std::pair{"torch", "torch"}, std::pair{"cpu", "cpu.model"},
                                       std::pair{"gpu", "gpu.0"}, std::pair{"kernel", "kernel"}}) {
      facts.emplace_back(label, text_of(results.workers.back().environment, field));
    }
  }
  for (const auto& [name, value] : run.labels) {
    facts.emplace_back("label_" + GaugePage::name_text(name), to_text(value));
  }
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return GaugePage::label_text(facts);
}

void add_row(const estimate::CaseRow& row, const std::string& labels,
             const record::Results& results, GaugePage& page) {
  for (const bool shares : {false, true}) {
    for (const estimate::EstimateColumn& column : estimate::estimate_columns()) {
      const auto& [name, help] = column.gauge;
      if (name.empty() || name.ends_with("_ratio") != shares) continue;
      page.add(family_of(column), help.empty() ? column.metric.doc : help, labels,
               number_of(column.get(row)));
    }
  }
  for (const estimate::PhaseEstimate& phase : row.phases) {
    page.add("stepbench_phase_seconds", "Time of a phase per step, on the host.",
             GaugePage::label_text({{"phase", phase.name}}, labels), phase.ns * 1e-9);
  }
  for (const auto& [outcome, launches] :
       {std::pair{"measured", row.measured.size()}, std::pair{"failed", row.failed.size()},
        std::pair{"skipped", row.skipped.size()}}) {
    page.add("stepbench_launches", "Launches of a case, by how they ended.",
             GaugePage::label_text({{"outcome", outcome}}, labels), static_cast<double>(launches));
  }
  // The unit of an undeclared metric is unknown.
  for (const auto& [name, value] : estimate::metric_medians(row)) {
    const auto metric = std::ranges::find(results.columns, name, &Metric::name);
    if (metric == results.columns.end() || metric->role != Role::kMetric) continue;
    page.add(family_of(name), metric->doc.empty() ? name : metric->doc, labels, value);
  }
}

GaugePage page_of(const record::Results& results) {
  GaugePage page;
  if (results.runs.empty()) return page;
  const record::RunRow& run =
      *std::ranges::max_element(results.runs.rbegin(), results.runs.rend(), {},  // the last one
                                &record::RunRow::started_utc);
  const std::vector<estimate::CaseRow> all = estimate::case_rows(results);
  const std::vector<std::string> varying = estimate::RowNames(all, results).varying();
  std::vector<std::string> names = varying;
  for (std::string& option : names) option = estimate::short_name(option, varying);
  names = GaugePage::option_labels(names);
  const GaugePage::Labels common = {{"experiment", run.name.empty() ? run.run_id : run.name},
                                    {"host", text_of(run.context, "host")}};
  const std::string of_run = GaugePage::label_text(common);
  page.add("stepbench_run_info", "What was measured, and on what.",
           facts_text(common, run, results), 1);
  page.add_started(run.started_utc, of_run);
  std::set<std::string> used;
  for (const estimate::CaseRow& row : all) {
    if (row.run_id != run.run_id || row.pass != Pass::kTiming) continue;
    GaugePage::Labels of_row = {{"case", row.case_id}, {"workload", row.workload}};
    if (!row.arm.empty()) of_row.emplace_back("arm", row.arm);
    for (std::size_t i = 0; i < varying.size(); ++i) {
      if (const Value* value = row.option(varying[i]))
        of_row.emplace_back(names[i], to_text(*value));
    }
    const std::string labels = GaugePage::label_text(of_row, of_run);
    if (used.insert(labels).second) add_row(row, labels, results, page);
  }
  return page;
}

void write_openmetrics(const record::Results& results, const ExportOptions& options,
                       const json::TextSink& sink) {
  page_of(results).write(sink, options.max_series);
}

std::string openmetrics_of_error(const std::string& /*command*/, const std::string& /*message*/,
                                 int exit_code) {
  GaugePage page;
  page.add("stepbench_exit_code", kExitCodeHelp, "", exit_code);
  return page.text();
}

}  // namespace

ExportFormat openmetrics_format() {
  return {.name = "openmetrics",
          .ending = ".prom",
          .use = "Prometheus, also by the text files of node_exporter",
          .of_run = write_openmetrics,
          .of_verdict = openmetrics_of_verdict,
          .of_night = openmetrics_of_night,
          .of_history = openmetrics_of_history,
          .of_error = openmetrics_of_error};
}

}  // namespace stepbench::report
