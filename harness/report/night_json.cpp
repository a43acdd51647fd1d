// SPDX-License-Identifier: Apache-2.0
#include "harness/report/night_json.h"

#include <algorithm>

#include "harness/json/json_text.h"
#include "harness/nights/fields.h"
#include "harness/report/alert_json.h"
#include "harness/report/history_export.h"
#include "harness/report/series_names.h"

namespace stepbench::report {
namespace {

// Alerts of this night's series, and open alerts without one.
std::string alerts_json(const ShownNight& shown, const NightView& view) {
  std::string alerts;
  for (const nights::Alert& alert : shown.night.alerts.alerts) {
    const bool is_reported =
        std::ranges::any_of(shown.night.series,
                            [&](const auto& series) { return series.alert == alert.id; }) ||
        std::ranges::find(shown.night.absent, alert.id) != shown.night.absent.end();
    if (!is_reported) continue;
    std::string text =
        alert_json(alert, shown.history, "stepbench track show " + alert.id + view.history_words);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    alerts += (alerts.empty() ? "" : ",") + text;
  }
  return '[' + alerts + ']';
}

}  // namespace

std::string night_json(const ShownNight& shown, const NightView& view) {
  const nights::Night& night = shown.night;
  const SeriesNames names(shown.history);
  json::JsonText json;
  json::FieldWriter writer(json);
  json.open_object().text("schema", kNightSchema).text("version", kNightVersion);
  json.integer("exit_code", night.exit_code).text("verdict", name_of(night.verdict));
  json.text("host", night.experiments.empty() ? "" : night.experiments.front().run.host);
  json.flag("newest", night.is_newest).flag("known", night.known);
  writer("runs", night.experiments);
  json.open_object("counts");
  for (const std::string_view name : names_of(nights::NightState{})) {
    const auto state = one_of<nights::NightState>(name).value();
    json.integer(name, static_cast<std::int64_t>(night.count(state)));
  }
  json.close_object().open_array("series");
  const std::vector<HistoryView> moved = moved_over_nights(shown);
  for (const nights::NightSeries& series : night.series) {
    json.open_object().text("name", names.name(series.series));
    fields(writer, series);
    const auto nights = std::ranges::find(
        moved, series.series.id, [](const HistoryView& each) { return each.series->series.id; });
    if (nights != moved.end()) write_nights(json, *nights);
    json.close_object();
  }
  json.close_array().json("alerts", alerts_json(shown, view));
  return json.texts("told", night.reported)
             .texts("absent", night.absent)
             .texts("notes", night.notes)
             .close_object()
             .take() +
         '\n';
}

std::string night_error_json(int exit_code, std::string_view message) {
  json::JsonText json;
  json.open_object().text("schema", kNightSchema).text("version", kNightVersion);
  json.integer("exit_code", exit_code).text("verdict", "error").text("error", message);
  json.close_object();
  return json.take() + '\n';
}

}  // namespace stepbench::report
