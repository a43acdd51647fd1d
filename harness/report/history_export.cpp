// SPDX-License-Identifier: Apache-2.0
#include "harness/report/history_export.h"

#include <optional>
#include <vector>

#include "harness/base/value.h"
#include "harness/json/json_text.h"
#include "harness/text/csv.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::string pairs_text(const Fields& fields) {
  return text::join(fields, " ",
                    [](const auto& field) { return field.first + '=' + to_text(field.second); });
}

std::string real_text(std::optional<double> value) {
  return value ? to_text(Value{*value}) : std::string();
}

// What the point is of the control case's step of its night.
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
  point.control ? json.number("control_ns", *point.control) : json.null("control_ns");
  json.text("cohort_id", point.cohort).close_object();
}

void add_series(json::JsonText& json, const track::SeriesHistory& one,
                const track::History& history) {
  const track::TrackedSeries& series = one.series;
  json.open_object().text("series_id", series.id).text("experiment", series.experiment);
  json.text("workload", series.workload).text("case_id", series.case_id);
  json.text("metric", series.metric).text("unit", series.unit);
  json.text("direction", name_of(series.direction)).flag("screened", series.screened);
  json.flag("control", series.control).values("options", series.options);
  json.values("machine", series.machine).open_array("points");
  for (const track::TrackedPoint& point : one.points) add_point(json, point, history);
  json.close_array().close_object();
}

void add_history_number(json::JsonText& json, std::string_view key,
                        const std::optional<double>& value) {
  if (value) {
    json.number(key, *value);
  } else {
    json.null(key);
  }
}

std::string csv_line(const track::TrackedPoint& point, const track::SeriesHistory& one,
                     const track::History& history) {
  const track::TrackedSeries& series = one.series;
  const track::TrackedRun& run = history.runs[point.run];
  const std::vector<std::string> cells = {series.id,
                                          series.experiment,
                                          series.workload,
                                          series.case_id,
                                          pairs_text(Fields(series.options)),
                                          series.metric,
                                          series.unit,
                                          run.run_id,
                                          run.started_utc,
                                          run.host,
                                          run.build_id,
                                          run.git_sha,
                                          run.git_branch,
                                          run.git_dirty ? "true" : "false",
                                          pairs_text(run.labels),
                                          real_text(point.value),
                                          real_text(point.low),
                                          real_text(point.high),
                                          std::to_string(point.launches),
                                          point.steps > 0 ? std::to_string(point.steps) : "",
                                          real_text(point.control),
                                          real_text(to_control(point)),
                                          point.cohort};
  return text::join(cells, ",", [](const std::string& cell) { return text::csv_cell(cell); }) +
         '\n';
}

}  // namespace

std::string history_csv(const track::History& history) {
  std::string text =
      "series_id,experiment,workload,case_id,options,metric,unit,run_id,started_utc,host,"
      "build_id,git_sha,git_branch,git_dirty,labels,value,low,high,launches,steps,control_ns,"
      "value_to_control,cohort_id\n";
  for (const track::SeriesHistory& one : history.series) {
    for (const track::TrackedPoint& point : one.points) text += csv_line(point, one, history);
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
    add_history_number(json, "control", night.point->control);
    json.text("cohort", night.point->cohort);
    if (night.judged) {
      const track::JudgedRow& judged = *night.judged;
      json.text("state", name_of(judged.state));
      add_history_number(json, "usual", night.usual());
      add_history_number(json, "change", judged.change);
      add_history_number(json, "change_low", judged.low);
      add_history_number(json, "change_high", judged.high);
      add_history_number(json, "ratio", judged.ratio);
      json.flag("told", judged.told);
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
