// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history_list.h"

#include <map>
#include <set>
#include <vector>

#include "harness/document/render_text.h"
#include "harness/document/table.h"
#include "harness/estimate/case_rows.h"
#include "harness/report/series_names.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kDay = 10;  // of 2026-01-31T02:00:00Z

// By experiment: the options in which its cases differ.
std::map<std::string, std::vector<std::string>> varying_by_experiment(
    const track::History& history) {
  std::map<std::string, std::vector<const OptionValues*>> options;
  for (const track::SeriesHistory& one : history.series) {
    options[one.series.experiment].push_back(&one.series.options);
  }
  std::map<std::string, std::vector<std::string>> varying;
  for (const auto& [experiment, cases] : options) {
    varying[experiment] = estimate::varying_options(cases, {});
  }
  return varying;
}

}  // namespace

std::string history_list(const track::History& history,
                         const std::map<std::string, track::SeriesExtent>& extents, bool whole,
                         std::size_t terminal_columns, bool colour) {
  std::map<std::string_view, std::string> days;  // by run id
  for (const track::TrackedRun& run : history.runs) {
    days.emplace(run.run_id, run.started_utc.substr(0, kDay));
  }
  std::set<std::string> ids;
  for (const track::SeriesHistory& one : history.series) ids.insert(one.series.id);
  const std::size_t digits = estimate::id_digits(ids);
  auto varying = varying_by_experiment(history);
  document::Table grid{.columns = {document::words("series"),
                                   {.head = "experiment", .left = true, .shrink_at = 2},
                                   {.head = "case", .left = true, .shrink_at = 1, .shrink_to = 16},
                                   document::words("metric"),
                                   {.head = "nights"},
                                   {.head = "first", .left = true, .drop_at = 1},
                                   document::words("last"),
                                   {.head = "last value"}},
                       .rows = {}};
  std::size_t hidden = 0;
  for (const track::SeriesHistory& one : history.series) {
    const track::TrackedSeries& series = one.series;
    if (!whole && !series.screened) {
      ++hidden;
      continue;
    }
    const auto extent = extents.find(series.id);
    if (extent == extents.end()) continue;
    const track::TrackedPoint& newest = one.points.back();
    std::string name =
        estimate::case_label(series.options, varying[series.experiment], series.case_id);
    if (series.control) name += " (control)";
    grid.rows.push_back(
        {.cells = {series.id.substr(0, digits), series.experiment, std::move(name),
                   metric_label(series.metric), std::to_string(extent->second.points),
                   days[extent->second.first_run], days[history.runs[newest.run].run_id],
                   amount_text(newest.value, series.unit)}});
  }
  if (grid.rows.empty()) return {};
  std::string text = document::draw(std::move(grid), terminal_columns, colour).text;
  if (hidden > 0) {
    text += '\n' + std::to_string(hidden) +
            " series of phases explain these and are not screened; --all lists them.\n";
  }
  return text;
}

}  // namespace stepbench::report
