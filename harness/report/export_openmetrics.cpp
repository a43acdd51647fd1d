// SPDX-License-Identifier: Apache-2.0
#include "harness/report/export_openmetrics.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/metric_medians.h"
#include "harness/report/read_night.h"
#include "harness/text/numbers.h"
#include "harness/text/openmetrics.h"
#include "harness/text/utc.h"

namespace stepbench::report {
namespace {

constexpr std::string_view kExitCodeHelp =
    "Exit status of the verdict: 0 ok, 1 regression, 2 usage, 3 not decided, 4 no data.";
constexpr std::string_view kStartedHelp = "When the run began, as Unix time.";

void check_series(const text::GaugePage& page, std::size_t max_series) {
  if (page.samples() > max_series) {
    throw ConfigError(
        "--max-series",
        "these results make " + text::with_separators(static_cast<std::int64_t>(page.samples())) +
            " series, and at most " + text::with_separators(static_cast<std::int64_t>(max_series)) +
            " were asked for: a server keeps each of them. Export fewer cases, or "
            "give a larger number");
  }
}

double unix_time(const std::string& utc) {
  const auto time = text::parse_utc(utc);
  if (!time) return std::nan("");
  return static_cast<double>(
      std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count());
}

// A metric of ours in base units of Prometheus: "_ns" becomes "_seconds".
struct Gauge {
  std::string name;
  std::string_view unit;
  double factor = 1;
};

Gauge gauge_of(std::string_view metric) {
  constexpr std::string_view kNs = "_ns";
  if (metric.ends_with(kNs)) {
    metric.remove_suffix(kNs.size());
    return {"stepbench_" + text::GaugePage::name_text(metric) + "_seconds", "seconds", 1e-9};
  }
  std::string name = "stepbench_" + text::GaugePage::name_text(metric);
  // A unit in the middle of a name is written out, as Prometheus' own checker wants it.
  constexpr std::string_view kSeconds = "_s_";
  if (const auto at = name.find(kSeconds); at != std::string::npos) {
    name.replace(at, kSeconds.size(), "_seconds_");
  }
  if (metric.ends_with("_bytes")) return {name, "bytes", 1};
  return {name, "", 1};
}

// The family that a row of the table of metrics names.
Gauge gauge_of(const estimate::EstimateColumn& column) {
  const bool time = estimate::is_time(column);
  const bool ratio = column.gauge.name.ends_with("_ratio");
  return {.name = "stepbench_" + std::string(column.gauge.name),
          .unit = time    ? "seconds"
                  : ratio ? "ratio"
                          : "",
          .factor = time ? 1e-9 : 1};
}

// The last run of the results and its rows.
class RunPage {
 public:
  explicit RunPage(const record::Results& results) : results_(results) {
    for (const record::RunRow& run : results.runs) {
      if (run_ == nullptr || run.started_utc >= run_->started_utc) run_ = &run;
    }
  }

  text::GaugePage write() {
    if (run_ == nullptr) return std::move(page_);
    const std::vector<estimate::CaseRow> all = estimate::case_rows(results_);
    name_options(estimate::RowNames(all, results_).varying());
    write_run();
    std::set<std::string> used;
    for (const estimate::CaseRow& row : all) {
      if (row.run_id != run_->run_id || row.pass != Pass::kTiming) continue;
      const std::string labels = labels_of(row);
      if (used.insert(labels).second) write_row(row, labels);
    }
    return std::move(page_);
  }

 private:
  void write_run() {
    const std::string experiment = run_->name.empty() ? run_->run_id : run_->name;
    const std::string host = text_of(run_->context, "host");
    common_ = {{"experiment", experiment}, {"host", host}};
    text::GaugePage::Labels facts = common_;
    facts.insert(facts.end(), {{"run_id", run_->run_id},
                               {"version", run_->stepbench_version},
                               {"git_sha", text_of(run_->context, "git.sha")}});
    if (!results_.workers.empty()) {
      const Fields& environment = results_.workers.back().environment;
      for (const auto& [label, field] :
           {std::pair{"torch", "torch"}, std::pair{"cpu", "cpu.model"}, std::pair{"gpu", "gpu.0"},
            std::pair{"kernel", "kernel"}}) {
        facts.emplace_back(label, text_of(environment, field));
      }
    }
    for (const auto& [name, value] : run_->labels) {
      facts.emplace_back("label_" + text::GaugePage::name_text(name), to_text(value));
    }
    std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
    page_.add("stepbench_run_info", "", "What was measured, and on what.",
              text::GaugePage::label_text(facts), 1);
    page_.add("stepbench_run_started_timestamp_seconds", "seconds", kStartedHelp,
              text::GaugePage::label_text(common_), unix_time(run_->started_utc));
  }

  void name_options(const std::vector<std::string>& varying) {
    std::set<std::string> used;
    for (const std::string& option : varying) {
      std::string label =
          "option_" + text::GaugePage::name_text(estimate::short_name(option, varying));
      while (!used.insert(label).second) label += '_';
      option_labels_.emplace_back(option, std::move(label));
    }
  }

  std::string labels_of(const estimate::CaseRow& row) const {
    text::GaugePage::Labels labels = common_;
    labels.insert(labels.end(), {{"case", row.case_id}, {"workload", row.workload}});
    if (!row.arm.empty()) labels.emplace_back("arm", row.arm);
    for (const auto& [option, label] : option_labels_) {
      if (const Value* value = row.option(option)) labels.emplace_back(label, to_text(*value));
    }
    return text::GaugePage::label_text(labels);
  }

  // The shares, or all others.
  void write_columns(const estimate::CaseRow& row, const std::string& labels, bool shares) {
    for (const estimate::EstimateColumn& column : estimate::estimate_columns()) {
      const auto& [name, help] = column.gauge;
      if (name.empty() || name.ends_with("_ratio") != shares) continue;
      const auto value = number_of(column.get(row));
      if (!value) continue;
      const Gauge gauge = gauge_of(column);
      page_.add(gauge.name, gauge.unit, help.empty() ? std::string_view(column.metric.doc) : help,
                labels, *value * gauge.factor);
    }
  }

  void write_row(const estimate::CaseRow& row, const std::string& labels) {
    write_columns(row, labels, false);
    write_columns(row, labels, true);
    for (const estimate::PhaseEstimate& phase : row.phases) {
      page_.add("stepbench_phase_seconds", "seconds", "Time of a phase per step, on the host.",
                labels + ',' + text::GaugePage::label_text({{"phase", phase.name}}),
                phase.ns * 1e-9);
    }
    const auto launches = [&](const char* outcome, std::size_t count) {
      page_.add("stepbench_launches", "", "Launches of a case, by how they ended.",
                labels + ',' + text::GaugePage::label_text({{"outcome", outcome}}),
                static_cast<double>(count));
    };
    launches("measured", row.measured.size());
    launches("failed", row.failed.size());
    launches("skipped", row.skipped.size());
    write_metrics(row, labels);
  }

  void write_metrics(const estimate::CaseRow& row, const std::string& labels) {
    for (const auto& [name, value] : estimate::metric_medians(row)) {
      const MetricGauge& gauge = gauge_of_metric(name);
      if (gauge.help.empty()) continue;
      page_.add(gauge.name, gauge.unit, gauge.help, labels, value * gauge.factor);
    }
  }

  // Of metrics that the file declares; `help` is empty for any other.
  struct MetricGauge : Gauge {
    std::string_view help = {};
  };

  const MetricGauge& gauge_of_metric(std::string_view name) {
    const auto [found, is_new] = metric_gauges_.try_emplace(name);
    if (!is_new) return found->second;
    const auto metric = std::find_if(results_.columns.begin(), results_.columns.end(),
                                     [&](const Metric& each) { return each.name == name; });
    if (metric == results_.columns.end() || metric->role != Role::kMetric) return found->second;
    return found->second = {gauge_of(name), metric->doc.empty() ? name : metric->doc};
  }

  const record::Results& results_;
  const record::RunRow* run_ = nullptr;
  text::GaugePage::Labels common_;
  std::vector<std::pair<std::string, std::string>> option_labels_;  // of those that vary
  std::unordered_map<std::string_view, MetricGauge> metric_gauges_;
  text::GaugePage page_;
};

// For gauge_of(), where the unit does not stand in a name.
std::string unit_ending(std::string_view unit) {
  return unit == "ns" ? "_ns" : unit == "bytes" ? "_bytes" : "_value";
}

void write_comparison(const compare::Comparison& comparison, text::GaugePage& page) {
  const text::GaugePage::Labels sides = {{"base", comparison.base},
                                         {"candidate", comparison.candidate}};
  page.add("stepbench_exit_code", "", kExitCodeHelp, text::GaugePage::label_text(sides),
           comparison.exit_code);
  text::GaugePage::Labels verdict = sides;
  verdict.emplace_back("verdict", std::string(name_of(comparison.verdict)));
  page.add("stepbench_verdict", "", "The verdict of the whole comparison, as a label.",
           text::GaugePage::label_text(verdict), 1);
  std::set<std::string> used;
  for (const compare::CaseResult& one : comparison.cases) {
    for (const compare::MetricResult& metric : one.metrics) {
      text::GaugePage::Labels labels = sides;
      labels.insert(labels.end(),
                    {{"case", one.case_id}, {"workload", one.workload}, {"metric", metric.name}});
      const std::string text = text::GaugePage::label_text(labels);
      if (!used.insert(text).second) continue;
      const compare::TestResult& test = metric.test;
      page.add("stepbench_change_ratio", "ratio", "Relative change: 0.02 is 2 % more.", text,
               test.change.value_or(std::nan("")));
      page.add("stepbench_change_low_ratio", "ratio", "Lower end of the interval of the change.",
               text, test.interval.low);
      page.add("stepbench_change_high_ratio", "ratio", "Upper end of the interval of the change.",
               text, test.interval.high);
      if (test.corrected_change) {
        page.add("stepbench_change_corrected_ratio", "ratio",
                 "Relative change of a claim without what being claimed added to it.", text,
                 *test.corrected_change);
      }
      page.add("stepbench_regression", "", "1 where the metric became worse for sure.", text,
               test.verdict == compare::Verdict::kRegression ? 1 : 0);
      const Gauge gauge = gauge_of("compared" + unit_ending(metric.unit));
      for (const auto& [side, value] :
           {std::pair{"base", test.base_median}, std::pair{"candidate", test.candidate_median}}) {
        page.add(gauge.name, gauge.unit, "Median over the launches of a side.",
                 text + ',' + text::GaugePage::label_text({{"side", side}}), value * gauge.factor);
      }
    }
  }
}

// By experiment and host: the place of the newest run.
std::set<std::size_t> newest_runs(const track::History& history) {
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> newest;
  for (std::size_t i = 0; i < history.runs.size(); ++i) {
    newest[{history.runs[i].experiment, history.runs[i].host}] = i;
  }
  std::set<std::size_t> places;
  for (const auto& [of, place] : newest) places.insert(place);
  return places;
}

void write_point(const track::TrackedSeries& series, const track::TrackedPoint& point,
                 const track::TrackedRun& run, text::GaugePage& page) {
  text::GaugePage::Labels labels = {{"experiment", run.experiment},
                                    {"host", run.host},
                                    {"case", series.case_id},
                                    {"workload", series.workload},
                                    {"series", series.id}};
  std::string metric = series.metric;
  if (metric.starts_with(track::kPhaseSeries)) {
    labels.emplace_back("phase", metric.substr(track::kPhaseSeries.size()));
    metric = "phase_ns";
  }
  std::set<std::string> used;
  for (const auto& [name, value] : series.options) {
    std::string label = "option_" + text::GaugePage::name_text(name.substr(name.rfind('.') + 1));
    while (!used.insert(label).second) label += '_';
    labels.emplace_back(std::move(label), to_text(value));
  }
  const std::string text = text::GaugePage::label_text(labels);
  if (series.unit == "ns" && !metric.ends_with("_ns")) metric += "_ns";
  // As an exported run names it.
  const estimate::EstimateColumn* column = estimate::find_column(metric);
  const bool named = column != nullptr && !column->gauge.name.empty();
  const Gauge gauge = named ? gauge_of(*column) : gauge_of(metric);
  page.add(gauge.name, gauge.unit, "Median over the launches of the last night.", text,
           point.value * gauge.factor);
  if (series.metric != track::kStepSeries) return;
  constexpr std::string_view kEnds = "95 % interval of the step in the last night.";
  page.add("stepbench_step_low_seconds", "seconds", kEnds, text, point.low * gauge.factor);
  page.add("stepbench_step_high_seconds", "seconds", kEnds, text, point.high * gauge.factor);
}

}  // namespace

void write_openmetrics(const record::Results& results, std::size_t max_series,
                       const text::TextSink& sink) {
  const text::GaugePage page = RunPage(results).write();
  check_series(page, max_series);
  page.write(sink);
}

std::string openmetrics_page(std::span<const compare::Comparison> comparisons,
                             std::size_t max_series) {
  text::GaugePage page;
  for (const compare::Comparison& comparison : comparisons) write_comparison(comparison, page);
  check_series(page, max_series);
  return page.text();
}

std::string openmetrics_page(const track::History& history, std::size_t max_series) {
  text::GaugePage page;
  const std::set<std::size_t> newest = newest_runs(history);
  for (const std::size_t place : newest) {
    const track::TrackedRun& run = history.runs[place];
    page.add("stepbench_run_started_timestamp_seconds", "seconds", kStartedHelp,
             text::GaugePage::label_text({{"experiment", run.experiment}, {"host", run.host}}),
             unix_time(run.started_utc));
  }
  for (const track::SeriesHistory& one : history.series) {
    for (const track::TrackedPoint& point : one.points) {
      if (newest.contains(point.run)) {
        write_point(one.series, point, history.runs[point.run], page);
      }
    }
  }
  check_series(page, max_series);
  return page.text();
}

std::string openmetrics_of_night(std::string_view night_json) {
  const ReadNight read = read_night(night_json);
  const nights::Night& night = read.shown.night;
  text::GaugePage page;
  const std::string host = text::GaugePage::label_text({{"host", read.host}});
  page.add("stepbench_night_exit_code", "", kExitCodeHelp, host, night.exit_code);
  if (!read.error.empty()) return page.text();
  for (const std::string_view name : names_of(nights::NightState{})) {
    page.add("stepbench_night_series", "", "Series of the last night, by what became of them.",
             host + ',' + text::GaugePage::label_text({{"state", std::string(name)}}),
             static_cast<double>(night.count(one_of<nights::NightState>(name).value())));
  }
  for (std::size_t i = 0; i < night.series.size(); ++i) {
    const nights::NightSeries& one = night.series[i];
    const std::string labels =
        host + ',' +
        text::GaugePage::label_text({{"series", one.series.id},
                                     {"experiment", one.series.experiment},
                                     {"name", read.names[i]},
                                     {"metric", one.series.metric},
                                     {"state", std::string(name_of(one.state))}});
    const auto add = [&](const std::string& name, std::string_view unit, const char* help,
                         const std::optional<double>& value, double factor) {
      if (value) page.add(name, unit, help, labels, *value * factor);
    };
    add("stepbench_night_change_ratio", "ratio",
        "Relative change of a series tonight against what is usual.", one.change, 1);
    // A series of each unit: gauges of one name have one unit.
    const std::string& unit = one.series.unit;
    const Gauge tonight = gauge_of("night" + unit_ending(unit));
    add(tonight.name, tonight.unit, "Value of a series tonight.", one.value, tonight.factor);
    const Gauge usual = gauge_of("night_usual" + unit_ending(unit));
    add(usual.name, usual.unit, "What is usual of a series.", one.usual, usual.factor);
  }
  return page.text();
}

std::string openmetrics_of_error(int exit_code) {
  text::GaugePage page;
  page.add("stepbench_exit_code", "", kExitCodeHelp, "", exit_code);
  return page.text();
}

}  // namespace stepbench::report
