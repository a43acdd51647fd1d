// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "harness/json/fields.h"
#include "harness/report/history.h"

namespace stepbench::report {
namespace {

// The fields of a point in JSON, beside its night.
void add_point(json::FieldWriter& v, const nights::TrackedPoint& point) {
  v("value", point.value)("low", point.low)("high", point.high)("launches", point.launches);
}

}  // namespace

std::string history_json(const nights::History& history) {
  json::JsonText json;
  json::FieldWriter v(json);
  json.open_object();
  v.constant("schema", kHistorySchema).constant("version", kHistoryVersion);
  json.open_array("runs");
  for (const nights::TrackedRun& run : history.runs) {
    json.open_object();
    v("run_id", run.run_id)("started_utc", run.started_utc)("experiment", run.experiment);
    v("host", run.host)("folder", run.folder)("build_id", run.build_id)("worker", run.worker_path);
    v("git_sha", run.git_sha)("git_branch", run.git_branch)("git_dirty", run.git_dirty);
    v("config_path", run.config_path)("config_hash", run.config_hash)("labels", run.labels);
    json.close_object();
  }
  json.close_array().open_array("series");
  for (const auto& [series, points] : history.series) {
    json.open_object();
    v("series_id", series.id)("experiment", series.experiment)("workload", series.workload);
    v("case_id", series.case_id)("metric", series.metric)("unit", series.unit);
    v("direction", series.direction)("screened", series.monitored)("control", series.control);
    v("options", series.options)("machine", series.machine);
    json.open_array("points");
    for (const nights::TrackedPoint& point : points) {
      json.open_object();
      v("run_id", history.runs[point.run].run_id);
      add_point(v, point);
      v("steps", point.steps > 0 ? std::optional(point.steps) : std::nullopt);
      v("control_ns", point.control)("cohort_id", point.cohort);
      json.close_object();
    }
    json.close_array().close_object();
  }
  json.close_array().open_array("cohorts");
  for (const nights::Cohort& cohort : history.cohorts) {
    json.open_object();
    v("cohort_id", cohort.id)("fields", cohort.fields);
    json.close_object();
  }
  return json.close_array().close_object().take() + '\n';
}

void write_nights(json::JsonText& json, const HistoryView& view) {
  json::FieldWriter v(json);
  json.open_array("nights");
  for (const HistoryNight& night : view.nights) {
    json.open_object();
    v("run_id", night.run->run_id)("started_utc", night.run->started_utc);
    v("git_sha", night.run->git_sha)("build_id", night.run->build_id);
    if (night.point == nullptr) {
      json.null("value").close_object();
      continue;
    }
    add_point(v, *night.point);
    v("control", night.point->control)("cohort", night.point->cohort);
    if (const auto& judged = night.judged) {
      v("state", judged->state)("usual", night.usual())("change", judged->change);
      v("change_low", judged->low)("change_high", judged->high)("ratio", judged->ratio);
      v("told", judged->reported);
    }
    if (night.busy) {
      v("waited_for_cpu_share", night.busy->waited);
      v("others_cpu_share", night.busy->others, json::kSparse);
    }
    v("alert", night.alert)("note", night.note);
    json.close_object();
  }
  json.close_array();
}

std::string series_json(const HistoryView& view, const SeriesNames& names) {
  const nights::TrackedSeries& series = view.series->series;
  json::JsonText json;
  json::FieldWriter v(json);
  json.open_object();
  v.constant("schema", kHistorySchema).constant("version", kHistoryVersion);
  v("id", series.id)("name", names.name(series))("experiment", series.experiment);
  v("workload", series.workload)("case_id", series.case_id)("metric", series.metric);
  v("unit", series.unit)("options", series.options)("machine", series.machine);
  write_nights(json, view);
  json.open_array("alerts");
  for (const nights::Alert* alert : view.alerts) {
    json.open_object();
    v("id", alert->id)("state", alert->state);
    v("first_bad", alert->find(series.id)->change.bad)("note", alert->note);
    json.close_object();
  }
  return json.close_array().close_object().take() + '\n';
}

}  // namespace stepbench::report
