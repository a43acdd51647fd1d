// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include "harness/report/history.h"
#include "harness/report/internal/csv.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

Value pairs_text(const Fields& fields) {
  return text::join(fields, " ",
                    [](const auto& field) { return field.first + '=' + to_text(field.second); });
}

// Ratio of the point to the control case's step in the same night.
std::optional<double> to_control(const nights::TrackedPoint& point) {
  if (!point.control || !(*point.control > 0)) return std::nullopt;
  return point.value / *point.control;
}

struct PointLine {
  const nights::TrackedSeries& series;
  const nights::TrackedPoint& point;
  const nights::TrackedRun& run;
};

const std::vector<CsvColumn<PointLine>>& point_columns() {
  using Line = const PointLine&;
  static const std::vector<CsvColumn<PointLine>> kColumns = {
      {"series_id", [](Line line) { return line.series.id; }},
      {"experiment", [](Line line) { return line.series.experiment; }},
      {"workload", [](Line line) { return line.series.workload; }},
      {"case_id", [](Line line) { return line.series.case_id; }},
      {"options", [](Line line) { return pairs_text(Fields(line.series.options)); }},
      {"metric", [](Line line) { return line.series.metric; }},
      {"unit", [](Line line) { return line.series.unit; }},
      {"run_id", [](Line line) { return line.run.run_id; }},
      {"started_utc", [](Line line) { return line.run.started_utc; }},
      {"host", [](Line line) { return line.run.host; }},
      {"build_id", [](Line line) { return line.run.build_id; }},
      {"git_sha", [](Line line) { return line.run.git_sha; }},
      {"git_branch", [](Line line) { return line.run.git_branch; }},
      {"git_dirty", [](Line line) { return line.run.git_dirty; }},
      {"labels", [](Line line) { return pairs_text(line.run.labels); }},
      {"value", [](Line line) { return line.point.value; }},
      {"low", [](Line line) { return line.point.low; }},
      {"high", [](Line line) { return line.point.high; }},
      {"launches", [](Line line) { return line.point.launches; }},
      {"steps", [](Line line) { return line.point.steps > 0 ? Value(line.point.steps) : Value(); }},
      {"control_ns", [](Line line) { return csv_number(line.point.control); }},
      {"value_to_control", [](Line line) { return csv_number(to_control(line.point)); }},
      {"cohort_id", [](Line line) { return line.point.cohort; }}};
  return kColumns;
}

}  // namespace

std::string history_csv(const nights::History& history) {
  std::string text = csv_heads(point_columns());
  for (const nights::SeriesHistory& one : history.series) {
    for (const nights::TrackedPoint& point : one.points) {
      text += csv_line(point_columns(), {one.series, point, history.runs[point.run]});
    }
  }
  return text;
}

}  // namespace stepbench::report
