// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/report/internal/comparison_words.h"
#include "harness/report/internal/export_formats.h"
#include "harness/report/internal/openmetrics.h"
#include "harness/report/night.h"
#include "harness/text/numbers.h"
#include "harness/text/time_text.h"

namespace stepbench::report {
namespace {

constexpr std::string_view kExitCodeHelp =
    "Exit status of the verdict: 0 ok, 1 regression, 2 usage, 3 not decided, 4 no data.";

// Throws ConfigError at --max-series if there are more.
GaugePage checked(GaugePage page, std::size_t max_series) {
  const auto count = [](std::size_t series) { return text::with_separators(series); };
  if (page.samples() <= max_series) return page;
  throw ConfigError("--max-series",
                    "these results make " + count(page.samples()) + " series, and at most " +
                        count(max_series) +
                        " were asked for: a server keeps each of them. Export fewer cases, or "
                        "give a larger number");
}

void add_started(const std::string& utc, const std::string& labels, GaugePage& page) {
  const auto time = text::parse_utc(utc);
  page.add(
      "stepbench_run_started_timestamp_seconds", "When the run began, as Unix time.", labels,
      time ? static_cast<double>(
                 std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count())
           : std::nan(""));
}

// The family of a metric, in Prometheus' base units: "_ns" becomes "_seconds".
struct Family {
  std::string name;
  double factor = 1;
};

Family family_of(std::string_view metric) {
  constexpr std::string_view kNs = "_ns";
  const bool time = metric.ends_with(kNs);
  if (time) metric.remove_suffix(kNs.size());
  std::string name = "stepbench_" + GaugePage::name_text(metric);
  if (time) return {name + "_seconds", 1e-9};
  // Units in the middle of a name are spelled out, as required by Prometheus' linter.
  constexpr std::string_view kSeconds = "_s_";
  if (const auto at = name.find(kSeconds); at != std::string::npos) {
    name.replace(at, kSeconds.size(), "_seconds_");
  }
  return {name, 1};
}

// As declared in the table of metrics.
Family family_of(const estimate::EstimateColumn& column) {
  return {"stepbench_" + std::string(column.gauge.name), estimate::is_time(column) ? 1e-9 : 1};
}

// For names without a unit: all gauges of one name must have the same unit.
Family family_of(const std::string& name, std::string_view unit) {
  return family_of(name + (unit == "ns" ? "_ns" : unit == "bytes" ? "_bytes" : "_value"));
}

void add(const Family& family, std::string_view help, std::string_view labels,
         const std::optional<double>& value, GaugePage& page) {
  if (value) page.add(family.name, help, labels, *value * family.factor);
}

// "option_num_workers", without duplicates.
std::vector<std::string> option_labels(const std::vector<std::string>& options) {
  std::set<std::string> used;
  std::vector<std::string> labels;
  for (const std::string& option : options) {
    std::string label = "option_" + GaugePage::name_text(option);
    while (!used.insert(label).second) label += '_';
    labels.push_back(std::move(label));
  }
  return labels;
}

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
      add(family_of(column), help.empty() ? column.metric.doc : help, labels,
          number_of(column.get(row)), page);
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
    add(family_of(name), metric->doc.empty() ? name : metric->doc, labels, value, page);
  }
}

struct VerdictGauge {
  std::string_view name;
  std::string_view help;
  std::optional<double> (*get)(const verdict::TestResult&);
};
constexpr VerdictGauge kVerdictGauges[] = {
    {"stepbench_change_ratio", "Relative change: 0.02 is 2 % more.",
     [](const auto& test) { return std::optional(test.change.value_or(std::nan(""))); }},
    {"stepbench_change_low_ratio", "Lower end of the interval of the change.",
     [](const auto& test) { return std::optional(test.interval.low); }},
    {"stepbench_change_high_ratio", "Upper end of the interval of the change.",
     [](const auto& test) { return std::optional(test.interval.high); }},
    {"stepbench_change_corrected_ratio",
     "Relative change of a claim without what being claimed added to it.",
     [](const auto& test) { return test.corrected_change; }},
    {"stepbench_regression", "1 where the metric became worse for sure.", [](const auto& test) {
       return std::optional(test.verdict == verdict::Verdict::kRegression ? 1.0 : 0.0);
     }}};

void add_comparison(const verdict::Comparison& comparison, GaugePage& page) {
  const std::string sides =
      GaugePage::label_text({{"base", comparison.base}, {"candidate", comparison.candidate}});
  page.add("stepbench_exit_code", kExitCodeHelp, sides, comparison.exit_code);
  page.add("stepbench_verdict", "The verdict of the whole comparison, as a label.",
           GaugePage::label_text({{"verdict", std::string(name_of(comparison.verdict))}}, sides),
           1);
  std::set<std::string> used;
  for (const auto& [all, one, metric, test] : compared_metrics({&comparison, 1})) {
    const std::string labels = GaugePage::label_text(
        {{"case", one->case_id}, {"workload", one->workload}, {"metric", metric->name}}, sides);
    if (!used.insert(labels).second) continue;
    for (const VerdictGauge& each : kVerdictGauges) {
      add({std::string(each.name)}, each.help, labels, each.get(*test), page);
    }
    for (const auto& [side, value] :
         {std::pair{"base", test->base_median}, std::pair{"candidate", test->candidate_median}}) {
      add(family_of("compared", metric->unit), "Median over the launches of a side.",
          GaugePage::label_text({{"side", side}}, labels), value, page);
    }
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
  names = option_labels(names);
  const GaugePage::Labels common = {{"experiment", run.name.empty() ? run.run_id : run.name},
                                    {"host", text_of(run.context, "host")}};
  const std::string of_run = GaugePage::label_text(common);
  page.add("stepbench_run_info", "What was measured, and on what.",
           facts_text(common, run, results), 1);
  add_started(run.started_utc, of_run, page);
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

void add_point(const nights::TrackedSeries& series, const nights::TrackedPoint& point,
               const nights::TrackedRun& run, GaugePage& page) {
  GaugePage::Labels labels = {{"experiment", run.experiment},
                              {"host", run.host},
                              {"case", series.case_id},
                              {"workload", series.workload},
                              {"series", series.id}};
  std::string metric = series.metric;
  if (metric.starts_with(nights::kPhaseSeries)) {
    labels.emplace_back("phase", metric.substr(nights::kPhaseSeries.size()));
    metric = "phase_ns";
  }
  std::vector<std::string> options;
  for (const auto& [name, value] : series.options) {
    options.push_back(name.substr(name.rfind('.') + 1));
  }
  options = option_labels(options);
  auto label = options.begin();
  for (const auto& [name, value] : series.options) labels.emplace_back(*label++, to_text(value));
  const std::string text = GaugePage::label_text(labels);
  if (series.unit == "ns" && !metric.ends_with("_ns")) metric += "_ns";
  // Same name as in an exported run.
  const estimate::EstimateColumn* column = estimate::find_column(metric);
  const bool named = column != nullptr && !column->gauge.name.empty();
  add(named ? family_of(*column) : family_of(metric), "Median over the launches of the last night.",
      text, point.value, page);
  if (series.metric != nights::kStepSeries) return;
  constexpr std::string_view kEnds = "95 % interval of the step in the last night.";
  add(family_of("step_low_ns"), kEnds, text, point.low, page);
  add(family_of("step_high_ns"), kEnds, text, point.high, page);
}

void write_openmetrics(const record::Results& results, const ExportOptions& options,
                       const json::TextSink& sink) {
  checked(page_of(results), options.max_series).write(sink);
}

std::string openmetrics_of_verdict(std::span<const verdict::Comparison> comparisons,
                                   const ExportOptions& options) {
  GaugePage page;
  for (const verdict::Comparison& comparison : comparisons) add_comparison(comparison, page);
  return checked(std::move(page), options.max_series).text();
}

std::string openmetrics_of_history(const nights::History& history, const ExportOptions& options) {
  GaugePage page;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> last;
  for (std::size_t i = 0; i < history.runs.size(); ++i) {
    last[{history.runs[i].experiment, history.runs[i].host}] = i;
  }
  std::set<std::size_t> newest;
  for (const auto& [place, run] : last) newest.insert(run);
  for (const std::size_t place : newest) {
    const nights::TrackedRun& run = history.runs[place];
    add_started(run.started_utc,
                GaugePage::label_text({{"experiment", run.experiment}, {"host", run.host}}), page);
  }
  for (const nights::SeriesHistory& one : history.series) {
    for (const nights::TrackedPoint& point : one.points) {
      if (newest.contains(point.run)) add_point(one.series, point, history.runs[point.run], page);
    }
  }
  return checked(std::move(page), options.max_series).text();
}

std::string openmetrics_of_night(const std::string& night_json, const ExportOptions& /*options*/) {
  const ReadNight read = read_night(night_json);
  const nights::Night& night = read.shown.night;
  GaugePage page;
  const std::string host = GaugePage::label_text({{"host", read.host}});
  page.add("stepbench_night_exit_code", kExitCodeHelp, host, night.exit_code);
  if (!read.error.empty()) return page.text();
  for (const std::string_view name : names_of(nights::NightState{})) {
    page.add("stepbench_night_series", "Series of the last night, by what became of them.",
             GaugePage::label_text({{"state", std::string(name)}}, host),
             static_cast<double>(night.count(one_of<nights::NightState>(name).value())));
  }
  for (std::size_t i = 0; i < night.series.size(); ++i) {
    const nights::NightSeries& one = night.series[i];
    const std::string labels = GaugePage::label_text({{"series", one.series.id},
                                                      {"experiment", one.series.experiment},
                                                      {"name", read.names[i]},
                                                      {"metric", one.series.metric},
                                                      {"state", std::string(name_of(one.state))}},
                                                     host);
    const std::string& unit = one.series.unit;
    add({"stepbench_night_change_ratio"},
        "Relative change of a series tonight against what is usual.", labels, one.change, page);
    add(family_of("night", unit), "Value of a series tonight.", labels, one.value, page);
    add(family_of("night_usual", unit), "What is usual of a series.", labels, one.usual, page);
  }
  return page.text();
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
