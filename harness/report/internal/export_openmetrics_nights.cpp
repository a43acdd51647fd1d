// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/estimate/columns.h"
#include "harness/report/exports.h"
#include "harness/report/internal/openmetrics.h"
#include "harness/report/night.h"

namespace stepbench::report {
namespace {

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
  options = GaugePage::option_labels(options);
  auto label = options.begin();
  for (const auto& [name, value] : series.options) labels.emplace_back(*label++, to_text(value));
  const std::string text = GaugePage::label_text(labels);
  if (series.unit == "ns" && !metric.ends_with("_ns")) metric += "_ns";
  // Same name as in an exported run.
  const estimate::EstimateColumn* column = estimate::find_column(metric);
  const bool named = column != nullptr && !column->gauge.name.empty();
  page.add(named ? family_of(*column) : family_of(metric),
           "Median over the launches of the last night.", text, point.value);
  if (series.metric != nights::kStepSeries) return;
  constexpr std::string_view kEnds = "95 % interval of the step in the last night.";
  page.add(family_of("step_low_ns"), kEnds, text, point.low);
  page.add(family_of("step_high_ns"), kEnds, text, point.high);
}

}  // namespace

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
    page.add_started(run.started_utc,
                     GaugePage::label_text({{"experiment", run.experiment}, {"host", run.host}}));
  }
  for (const nights::SeriesHistory& one : history.series) {
    for (const nights::TrackedPoint& point : one.points) {
      if (newest.contains(point.run)) add_point(one.series, point, history.runs[point.run], page);
    }
  }
  return page.text(options.max_series);
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
    page.add("stepbench_night_change_ratio",
             "Relative change of a series tonight against what is usual.", labels, one.change);
    page.add(family_of("night", unit), "Value of a series tonight.", labels, one.value);
    page.add(family_of("night_usual", unit), "What is usual of a series.", labels, one.usual);
  }
  return page.text();
}

}  // namespace stepbench::report
