// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history_export.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/value.h"
#include "harness/json/json_text.h"
#include "harness/report/history_view.h"
#include "harness/report/series_names.h"
#include "harness/text/csv.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

Value pairs_text(const Fields& fields) {
  return text::join(fields, " ",
                    [](const auto& field) { return field.first + '=' + to_text(field.second); });
}

// Ratio of the point to the control case's step in the same night.
std::optional<double> to_control(const track::TrackedPoint& point) {
  if (!point.control || !(*point.control > 0)) return std::nullopt;
  return point.value / *point.control;
}

void add_run(json::JsonText& json, const track::TrackedRun& run) {
  json.open_object().text("run_id", run.run_id).text("started_utc", run.started_utc);
  json.text("experiment", run.experiment).text("host", run.host).text("folder", run.folder);
  json.text("build_id", run.build_id).text("worker", run.worker_path);
  json.text("git_sha", run.git_sha).text("git_branch", run.git_branch);
  json.flag("git_dirty", run.git_dirty).text("config_path", run.config_path);
  json.text("config_hash", run.config_hash).values("labels", run.labels).close_object();
}

void add_point(json::JsonText& json, const track::TrackedPoint& point,
               const track::History& history) {
  json.open_object().text("run_id", history.runs[point.run].run_id);
  json.number("value", point.value).number("low", point.low).number("high", point.high);
  json.integer("launches", point.launches);
  point.steps > 0 ? json.integer("steps", point.steps) : json.null("steps");
  json.number("control_ns", point.control);
  json.text("cohort_id", point.cohort).close_object();
}

void add_series(json::JsonText& json, const track::SeriesHistory& one,
                const track::History& history) {
  const track::TrackedSeries& series = one.series;
  json.open_object().text("series_id", series.id).text("experiment", series.experiment);
  json.text("workload", series.workload).text("case_id", series.case_id);
  json.text("metric", series.metric).text("unit", series.unit);
  json.text("direction", name_of(series.direction)).flag("screened", series.monitored);
  json.flag("control", series.control).values("options", series.options);
  json.values("machine", series.machine).open_array("points");
  for (const track::TrackedPoint& point : one.points) add_point(json, point, history);
  json.close_array().close_object();
}

struct PointLine {
  const track::TrackedSeries& series;
  const track::TrackedPoint& point;
  const track::TrackedRun& run;
};

const std::vector<text::CsvColumn<PointLine>>& point_columns() {
  using Line = const PointLine&;
  static const std::vector<text::CsvColumn<PointLine>> kColumns = {
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
      {"control_ns", [](Line line) { return text::csv_number(line.point.control); }},
      {"value_to_control", [](Line line) { return text::csv_number(to_control(line.point)); }},
      {"cohort_id", [](Line line) { return line.point.cohort; }}};
  return kColumns;
}

}  // namespace

std::string history_csv(const track::History& history) {
  std::string text = text::csv_heads(point_columns());
  for (const track::SeriesHistory& one : history.series) {
    for (const track::TrackedPoint& point : one.points) {
      text += text::csv_line(point_columns(), {one.series, point, history.runs[point.run]});
    }
  }
  return text;
}

std::string history_json(const track::History& history) {
  json::JsonText json;
  json.open_object().text("schema", kHistorySchema).text("version", kHistoryVersion);
  json.open_array("runs");
  for (const track::TrackedRun& run : history.runs) add_run(json, run);
  json.close_array().open_array("series");
  for (const track::SeriesHistory& one : history.series) add_series(json, one, history);
  json.close_array().open_array("cohorts");
  for (const track::Cohort& cohort : history.cohorts)
    json.open_object().text("cohort_id", cohort.id).values("fields", cohort.fields).close_object();
  return json.close_array().close_object().take() + '\n';
}

void write_nights(json::JsonText& json, const HistoryView& view) {
  json.open_array("nights");
  for (const HistoryNight& night : view.nights) {
    json.open_object().text("run_id", night.run->run_id);
    json.text("started_utc", night.run->started_utc).text("git_sha", night.run->git_sha);
    json.text("build_id", night.run->build_id);
    if (night.point == nullptr) {
      json.null("value").close_object();
      continue;
    }
    json.number("value", night.point->value).number("low", night.point->low);
    json.number("high", night.point->high).integer("launches", night.point->launches);
    json.number("control", night.point->control);
    json.text("cohort", night.point->cohort);
    if (night.judged) {
      const track::JudgedRow& judged = *night.judged;
      json.text("state", name_of(judged.state));
      json.number("usual", night.usual());
      json.number("change", judged.change);
      json.number("change_low", judged.low);
      json.number("change_high", judged.high);
      json.number("ratio", judged.ratio);
      json.flag("told", judged.reported);
    }
    if (night.busy) {
      json.number("waited_for_cpu_share", night.busy->waited);
      if (night.busy->others) json.number("others_cpu_share", *night.busy->others);
    }
    json.text("alert", night.alert).text("note", night.note).close_object();
  }
  json.close_array();
}

std::string series_json(const HistoryView& view, const SeriesNames& names) {
  const track::TrackedSeries& series = view.series->series;
  json::JsonText json;
  json.open_object().text("schema", kHistorySchema).text("version", kHistoryVersion);
  json.text("id", series.id).text("name", names.name(series));
  json.text("experiment", series.experiment).text("workload", series.workload);
  json.text("case_id", series.case_id).text("metric", series.metric).text("unit", series.unit);
  json.values("options", series.options).values("machine", series.machine);
  write_nights(json, view);
  json.open_array("alerts");
  for (const nights::Alert* alert : view.alerts) {
    json.open_object().text("id", alert->id).text("state", name_of(alert->state));
    json.text("first_bad", alert->find(series.id)->change.bad);
    json.text("note", alert->note).close_object();
  }
  json.close_array().close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
