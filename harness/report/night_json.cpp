// SPDX-License-Identifier: Apache-2.0
#include "harness/report/night_json.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "harness/json/json_text.h"
#include "harness/json/line_object.h"
#include "harness/nights/fields.h"
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

namespace {

template <typename Each>
void for_objects_of(const json::LineObject& source, std::string_view field, const Each& each) {
  const auto array = source.array(field);
  if (!array) return;
  for (const json::JsonView& view : *array) {
    if (const auto one = view.object()) each(*one);
  }
}

double number_or_none(const json::LineObject& source, std::string_view field) {
  return source.number(field).value_or(std::numeric_limits<double>::quiet_NaN());
}

nights::AlertSeries read_alert_series(const json::LineObject& source) {
  nights::AlertSeries series{.id = source.text("id"),
                             .experiment = source.text("experiment"),
                             .usual = number_or_none(source, "usual"),
                             .value = number_or_none(source, "value")};
  json::FieldReader reader(source);
  reader("as_share", series.as_share)("told", series.change)("told_run", series.reported_run);
  reader("cause", series.cause)("back", series.back)("can_be_measured", series.can_be_measured);
  return series;
}

nights::Alert read_alert(const json::LineObject& source) {
  nights::Alert alert;
  json::FieldReader reader(source);
  reader("id", alert.id)("state", alert.state)("host", alert.host);
  reader("experiment", alert.experiment)("opened_utc", alert.opened_utc)("note", alert.note);
  reader("until", alert.until)("assignee", alert.assignee)("commits", alert.commits);
  const auto run_id = [&](std::string_view field) {
    const auto found = source.find(field);
    const auto run = found ? found->object() : std::nullopt;
    return run ? run->text("run_id") : std::string();
  };
  alert.opened_run = run_id("opened_run");
  alert.first_bad = run_id("first_bad");
  alert.last_good = run_id("last_good");
  alert.commits_in_range = alert.commits.size();
  for_objects_of(source, "series", [&](const json::LineObject& series) {
    alert.series.push_back(read_alert_series(series));
  });
  return alert;
}

// All runs mentioned in the file, by time.
std::vector<track::TrackedRun> read_runs(const json::LineObject& night, const std::string& host) {
  std::map<std::string, track::TrackedRun> by_id;
  const auto add = [&](const json::LineObject& source, const std::string& experiment = {}) {
    auto run = json::read<track::TrackedRun>(source);
    run.host = host;
    if (run.experiment.empty()) run.experiment = experiment;
    by_id.try_emplace(run.run_id, std::move(run));
  };
  for_objects_of(night, "runs", [&](const json::LineObject& run) { add(run); });
  for_objects_of(night, "alerts", [&](const json::LineObject& alert) {
    for (const char* field : {"opened_run", "first_bad", "last_good"}) {
      const auto found = alert.find(field);
      const auto run = found ? found->object() : std::nullopt;
      if (run && !run->text("started_utc").empty()) add(*run);
    }
  });
  for_objects_of(night, "series", [&](const json::LineObject& series) {
    for_objects_of(series, "nights",
                   [&](const json::LineObject& run) { add(run, series.text("experiment")); });
  });
  std::vector<track::TrackedRun> runs;
  for (auto& [id, run] : by_id) runs.push_back(std::move(run));
  std::ranges::stable_sort(runs, {}, &track::TrackedRun::started_utc);
  return runs;
}

// Reads the nights of a series that moved.
void read_nights(const json::LineObject& source, const track::TrackedSeries& series,
                 ShownNight& shown) {
  track::SeriesHistory& history = shown.moved.series.emplace_back();
  history.series = series;
  std::vector<track::JudgedRow>& judged = shown.judged[series.id];
  for_objects_of(source, "nights", [&](const json::LineObject& night) {
    const auto run =
        std::ranges::find(shown.moved.runs, night.text("run_id"), &track::TrackedRun::run_id);
    if (night.find("state")) judged.push_back(json::read<track::JudgedRow>(night));
    if (!night.find("launches")) return;
    history.points.push_back({.run = static_cast<std::size_t>(run - shown.moved.runs.begin()),
                              .value = number_or_none(night, "value"),
                              .low = number_or_none(night, "low"),
                              .high = number_or_none(night, "high"),
                              .launches = night.integer("launches"),
                              .control = night.number("control"),
                              .cohort = night.text("cohort")});
  });
}

// The options after "stepbench track show A1" in an alert.
std::string history_words_in(const json::LineObject& night) {
  std::string words;
  for_objects_of(night, "alerts", [&](const json::LineObject& alert) {
    const std::string command = "stepbench track show " + alert.text("id");
    const std::string show = alert.text("show");
    if (show.starts_with(command)) words = show.substr(command.size());
  });
  return words;
}

}  // namespace

ReadNight read_night(std::string_view night_json) {
  json::LineParser parser;
  const json::LineObject source = parser.parse(night_json, json::LineParser::Padding::kNone).object;
  if (source.text("schema") != kNightSchema || !source.text("version").starts_with("2.")) {
    throw json::LineError("schema '" + source.text("schema") + ' ' + source.text("version") +
                          "' is not " + std::string(kNightSchema) + " 2.x");
  }
  ReadNight read{.host = source.text("host"), .error = source.text("error")};
  nights::Night& night = read.shown.night;
  night.exit_code = static_cast<int>(source.integer("exit_code"));
  if (!read.error.empty()) return read;
  json::FieldReader reader(source);
  reader("verdict", night.verdict, json::kNeeded)("newest", night.is_newest)("known", night.known);
  reader("runs", night.experiments)("told", night.reported)("absent", night.absent);
  reader("notes", night.notes);
  for (nights::NightExperiment& each : night.experiments) {
    each.pairs.night = track::night_of(each.run);
  }
  for_objects_of(source, "alerts", [&](const json::LineObject& alert) {
    night.alerts.alerts.push_back(read_alert(alert));
  });
  read.shown.history.runs = read.shown.moved.runs = read_runs(source, read.host);
  read.view.history_words = history_words_in(source);
  for_objects_of(source, "series", [&](const json::LineObject& one) {
    night.series.push_back(json::read<nights::NightSeries>(one));
    read.names.push_back(one.text("name"));
    read.shown.history.series.push_back({.series = night.series.back().series});
    if (one.find("nights")) read_nights(one, night.series.back().series, read.shown);
  });
  return read;
}

}  // namespace stepbench::report
