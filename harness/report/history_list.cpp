// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history_list.h"

#include <map>
#include <set>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/text/grid.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench {
namespace {

constexpr std::size_t kDay = 10;  // of 2026-01-31T02:00:00Z

// By experiment: the options in which its cases differ.
std::map<std::string, std::vector<std::string>> varying_by_experiment(const History& history) {
  std::map<std::string, std::vector<const OptionValues*>> options;
  for (const SeriesHistory& one : history.series) {
    options[one.series.experiment].push_back(&one.series.options);
  }
  std::map<std::string, std::vector<std::string>> varying;
  for (const auto& [experiment, cases] : options) {
    varying[experiment] = varying_options(cases, {});
  }
  return varying;
}

std::string metric_in_list(const TrackedSeries& series) {
  if (series.metric == kStepSeries) return "step";
  if (series.metric.starts_with(kPhaseSeries)) return series.metric.substr(kPhaseSeries.size());
  return series.metric;
}

std::string value_in_list(const SeriesHistory& one) {
  const double value = one.points.back().value;
  return one.series.unit == "bytes" ? byte_text(value) : duration(value);
}

}  // namespace

std::string history_list(const History& history, bool whole, std::size_t terminal_columns,
                         bool colour) {
  std::set<std::string> ids;
  for (const SeriesHistory& one : history.series) ids.insert(one.series.id);
  const std::size_t digits = id_digits(ids);
  auto varying = varying_by_experiment(history);
  Grid grid{.columns = {{.head = "series", .align = Align::kLeft},
                        {.head = "experiment", .align = Align::kLeft, .shrink_at = 2},
                        {.head = "case", .align = Align::kLeft, .shrink_at = 1, .shrink_to = 16},
                        {.head = "metric", .align = Align::kLeft},
                        {.head = "nights"},
                        {.head = "first", .align = Align::kLeft, .drop_at = 1},
                        {.head = "last", .align = Align::kLeft},
                        {.head = "last value"}},
            .rows = {}};
  std::size_t hidden = 0;
  for (const SeriesHistory& one : history.series) {
    const TrackedSeries& series = one.series;
    if (!whole && !series.screened) {
      ++hidden;
      continue;
    }
    const auto night = [&](const TrackedPoint& point) {
      return history.runs[point.run].started_utc.substr(0, kDay);
    };
    std::string name = case_label(series.options, varying[series.experiment], series.case_id);
    if (series.control) name += " (control)";
    grid.rows.push_back(
        {.cells = {series.id.substr(0, digits), series.experiment, std::move(name),
                   metric_in_list(series), std::to_string(one.points.size()),
                   night(one.points.front()), night(one.points.back()), value_in_list(one)}});
  }
  if (grid.rows.empty()) return {};
  std::string text = draw(std::move(grid), terminal_columns, colour).text;
  if (hidden > 0) {
    text += '\n' + std::to_string(hidden) +
            " series of phases explain these and are not screened; --all lists them.\n";
  }
  return text;
}

}  // namespace stepbench
