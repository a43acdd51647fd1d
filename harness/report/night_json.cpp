// SPDX-License-Identifier: Apache-2.0
#include "harness/report/night_json.h"

#include <algorithm>
#include <optional>

#include "harness/json/json_text.h"
#include "harness/report/alert_json.h"
#include "harness/report/history_export.h"
#include "harness/report/series_names.h"

namespace stepbench::report {
namespace {

void write_value(json::JsonText& json, std::string_view key, const std::optional<double>& value) {
  if (value) {
    json.number(key, *value);
  } else {
    json.null(key);
  }
}

void write_run(json::JsonText& json, const track::TrackedRun& run) {
  json.open_object().text("run_id", run.run_id).text("experiment", run.experiment);
  json.text("started_utc", run.started_utc).text("folder", run.folder);
  json.text("build_id", run.build_id).text("git_sha", run.git_sha);
  json.text("git_branch", run.git_branch).flag("git_dirty", run.git_dirty);
  json.values("labels", run.labels).close_object();
}

// `nights`: null unless it is one of those that moved.
void write_series(json::JsonText& json, const track::NightSeries& series, const SeriesNames& names,
                  const HistoryView* nights) {
  const track::TrackedSeries& known = series.series;
  json.open_object().text("id", known.id).text("experiment", known.experiment);
  json.text("name", names.name(known)).text("workload", known.workload);
  json.text("case_id", known.case_id).text("metric", known.metric).text("unit", known.unit);
  json.values("options", known.options);
  json.text("state", name_of(series.state)).flag("fired", series.fired);
  json.flag("worse", series.worse && series.state != track::NightState::kOk);
  json.text("run_id", series.run);
  write_value(json, "value", series.value);
  write_value(json, "usual", series.usual);
  write_value(json, "change", series.change);
  write_value(json, "normalised_change", series.normalised_change);
  write_value(json, "score", series.score);
  json.number("margin", series.margin);
  json.integer("points_before", static_cast<std::int64_t>(series.points));
  json.text("first_bad", series.first_bad).text("last_good", series.last_good);
  json.text("alert", series.alert).text("why", series.why);
  if (nights != nullptr) write_nights(json, *nights);
  json.close_object();
}

void write_alerts(json::JsonText& json, const campaign::CheckedNight& checked,
                  const NightView& view) {
  std::string alerts;
  for (const track::Alert& alert : checked.night.alerts.alerts) {
    const bool is_told =
        std::any_of(checked.night.series.begin(), checked.night.series.end(),
                    [&](const track::NightSeries& series) { return series.alert == alert.id; });
    if (!is_told) continue;
    std::string text =
        alert_json(alert, checked.history, "stepbench track show " + alert.id + view.history_words);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    alerts += (alerts.empty() ? "" : ",") + text;
  }
  json.json("alerts", '[' + alerts + ']');
}

}  // namespace

std::string night_json(const campaign::CheckedNight& checked, const NightView& view) {
  const track::Night& night = checked.night;
  const SeriesNames names(checked.history);
  json::JsonText json;
  json.open_object().text("schema", kNightSchema).text("version", kNightVersion);
  json.integer("exit_code", night.exit_code).text("verdict", name_of(night.verdict));
  json.text("screen", name_of(view.screen));
  json.text("host", night.runs.empty() ? std::string() : night.runs.front().host);
  json.flag("newest", night.is_newest).flag("interrupted", checked.signal.has_value());
  json.open_array("runs");
  for (const track::TrackedRun& run : night.runs) write_run(json, run);
  json.close_array().open_object("counts");
  for (std::size_t i = 0; i < track::kNightStates; ++i) {
    const auto state = static_cast<track::NightState>(i);
    json.integer(name_of(state), static_cast<std::int64_t>(night.count(state)));
  }
  json.close_object().open_array("series");
  const std::vector<HistoryView> moved = moved_over_nights(checked, view);
  for (const track::NightSeries& series : night.series) {
    const auto nights = std::ranges::find(
        moved, series.series.id, [](const HistoryView& each) { return each.series->series.id; });
    write_series(json, series, names, nights == moved.end() ? nullptr : &*nights);
  }
  json.close_array();
  write_alerts(json, checked, view);
  json.open_array("environment");
  for (const track::CohortChange& change : night.cohorts) {
    json.open_object().text("experiment", change.experiment).text("field", change.field);
    json.text("before", change.before).text("tonight", change.tonight);
    json.integer("series", static_cast<std::int64_t>(change.series));
    if (change.by_ratio > 0) json.integer("by_ratio", std::int64_t(change.by_ratio));
    json.close_object();
  }
  json.close_array().open_object("precision");
  json.integer("confirmed", static_cast<std::int64_t>(night.precision.confirmed));
  json.integer("not_reproduced", static_cast<std::int64_t>(night.precision.not_reproduced));
  json.close_object().texts("notes", night.notes).close_object();
  return json.take() + '\n';
}

std::string night_error_json(int exit_code, std::string_view message) {
  json::JsonText json;
  json.open_object().text("schema", kNightSchema).text("version", kNightVersion);
  json.integer("exit_code", exit_code).text("verdict", "error").text("error", message);
  json.close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
