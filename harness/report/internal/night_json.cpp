// SPDX-License-Identifier: Apache-2.0
#include "harness/report/night.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "harness/base/format.h"
#include "harness/json/json_text.h"
#include "harness/json/line_object.h"
#include "harness/nights/fields.h"
#include "harness/os/text_file.h"
#include "harness/report/history.h"
#include "harness/text/printable.h"

namespace stepbench::report {
namespace {

// Alerts of this night's series, and open alerts without one.
std::vector<NamedAlert> alerts_of(const ShownNight& shown, const NightView& view) {
  std::vector<NamedAlert> alerts;
  for (const nights::Alert& alert : shown.night.alerts.alerts) {
    const bool is_reported =
        std::ranges::any_of(shown.night.series,
                            [&](const auto& series) { return series.alert == alert.id; }) ||
        std::ranges::find(shown.night.absent, alert.id) != shown.night.absent.end();
    if (is_reported) alerts.push_back(named_alert(alert, shown.history, view.history_words));
  }
  return alerts;
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
  writer("history", std::string(os::trim(view.history_words)), json::kSparse);
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
  json.close_array();
  writer("alerts", alerts_of(shown, view))("told", night.reported)("absent", night.absent);
  writer("notes", night.notes);
  return json.close_object().take() + '\n';
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
  const auto found = source.find(field);
  if (!found) return;
  const auto elements = found->elements();
  if (!elements) json::wrong_type(field, "an array", *found);
  for (const json::JsonView& view : *elements) {
    if (const auto one = view.object()) each(*one);
  }
}

nights::Alert alert_of(const NamedAlert& named) {
  const auto id_of = [](const std::optional<NamedRun>& run) {
    return run ? run->run.run_id : std::string();
  };
  nights::Alert alert = named.alert;
  alert.opened_run = id_of(named.opened_run);
  alert.first_bad = id_of(named.first_bad);
  alert.last_good = id_of(named.last_good);
  alert.commits_in_range = alert.commits.size();
  for (const NamedSeries& each : named.series) alert.series.push_back(each.alert);
  return alert;
}

// All runs mentioned in the file, by time.
std::vector<nights::TrackedRun> read_runs(const json::LineObject& source,
                                          const nights::Night& night,
                                          std::span<const NamedAlert> alerts,
                                          const std::string& host) {
  std::map<std::string, nights::TrackedRun> by_id;
  const auto add = [&](nights::TrackedRun run, const std::string& experiment = {}) {
    run.host = host;
    if (run.experiment.empty()) run.experiment = experiment;
    by_id.try_emplace(run.run_id, std::move(run));
  };
  for (const nights::NightExperiment& each : night.experiments) add(each.run);
  for (const NamedAlert& alert : alerts) {
    for (const auto& run : {alert.opened_run, alert.first_bad, alert.last_good}) {
      if (run && !run->run.started_utc.empty()) add(run->run);
    }
  }
  for_objects_of(source, "series", [&](const json::LineObject& series) {
    for_objects_of(series, "nights", [&](const json::LineObject& run) {
      add(json::read<nights::TrackedRun>(run), series.text("experiment"));
    });
  });
  std::vector<nights::TrackedRun> runs;
  for (auto& [id, run] : by_id) runs.push_back(std::move(run));
  std::ranges::stable_sort(runs, {}, &nights::TrackedRun::started_utc);
  return runs;
}

// Reads the nights of a series that moved.
void read_nights(const json::LineObject& source, const nights::TrackedSeries& series,
                 ShownNight& shown) {
  nights::SeriesHistory& history = shown.moved.series.emplace_back();
  history.series = series;
  std::vector<nights::JudgedRow>& judged = shown.judged[series.id];
  for_objects_of(source, "nights", [&](const json::LineObject& night) {
    const auto run =
        std::ranges::find(shown.moved.runs, night.text("run_id"), &nights::TrackedRun::run_id);
    if (night.find("state")) judged.push_back(json::read<nights::JudgedRow>(night));
    if (!night.find("launches")) return;
    constexpr json::FieldRule kNanWhereNull{.null_is = std::numeric_limits<double>::quiet_NaN()};
    nights::TrackedPoint& point = history.points.emplace_back();
    point.run = static_cast<std::size_t>(run - shown.moved.runs.begin());
    json::FieldReader reader(night);
    reader("value", point.value, kNanWhereNull)("low", point.low, kNanWhereNull);
    reader("high", point.high, kNanWhereNull)("launches", point.launches);
    reader("control", point.control)("cohort", point.cohort);
  });
}

// For files before 2.1: the options after "stepbench track show A1" in an alert.
std::string history_words_of_before(std::span<const NamedAlert> alerts) {
  std::string words;
  for (const NamedAlert& each : alerts) {
    const std::string command = "stepbench track show " + each.alert.id;
    if (each.show.starts_with(command)) words = each.show.substr(command.size());
  }
  return words;
}

}  // namespace

ReadNight read_night(std::string_view night_json) {
  json::LineParser parser;
  const json::LineObject source = parser.parse(night_json, json::LineParser::Padding::kNone).object;
  const int minor = json::minor_version(source, kNightSchema, kNightVersion);
  ReadNight read{.host = source.text("host"), .error = source.text("error")};
  nights::Night& night = read.shown.night;
  night.exit_code = json::read_field<int>(source, "exit_code");
  if (!read.error.empty()) return read;
  json::FieldReader reader(source);
  reader("verdict", night.verdict, json::kNeeded)("newest", night.is_newest)("known", night.known);
  reader("runs", night.experiments)("told", night.reported)("absent", night.absent);
  std::vector<NamedAlert> alerts;
  reader("notes", night.notes)("alerts", alerts);
  if (std::string newer = json::newer_version_text(minor, kNightVersion); !newer.empty()) {
    night.notes.push_back("the file " + newer);
  }
  for (nights::NightExperiment& each : night.experiments) {
    each.pairs.night = nights::night_of(each.run);
  }
  for (const NamedAlert& each : alerts) night.alerts.alerts.push_back(alert_of(each));
  read.shown.history.runs = read.shown.moved.runs = read_runs(source, night, alerts, read.host);
  read.view.history_words =
      source.find("history") ? ' ' + source.text("history") : history_words_of_before(alerts);
  for_objects_of(source, "series", [&](const json::LineObject& one) {
    night.series.push_back(json::read<nights::NightSeries>(one));
    read.names.push_back(one.text("name"));
    read.shown.history.series.push_back({.series = night.series.back().series});
    if (one.find("nights")) read_nights(one, night.series.back().series, read.shown);
  });
  return read;
}

namespace {

const nights::TrackedSeries* series_of(const nights::History& history, const std::string& id) {
  const nights::SeriesHistory* found = history.find_series(id);
  return found == nullptr ? nullptr : &found->series;
}

std::string program_title(const nights::TrackedRun& run) {
  if (!run.git_sha.empty()) return run.git_sha.substr(0, 12) + (run.git_dirty ? " (dirty)" : "");
  return run.build_id.empty() ? run.run_id : "build " + run.build_id.substr(0, 12);
}

std::string range_title(const nights::Alert& alert, const nights::History& history) {
  const nights::TrackedRun* good = history.find_run(alert.last_good);
  const nights::TrackedRun* bad = history.find_run(alert.first_bad);
  std::string from = good == nullptr ? alert.last_good : program_title(*good);
  std::string to = bad == nullptr ? alert.first_bad : program_title(*bad);
  if (good != nullptr && bad != nullptr) {
    from += differing_versions(*good, *bad);
    to += differing_versions(*bad, *good);
  }
  if (to.empty()) return {};
  return from.empty() ? "; first seen with " + to : formatted("; between {} and {}", from, to);
}

std::optional<NamedRun> named_run(const std::string& id, const nights::History& history) {
  if (id.empty()) return std::nullopt;
  const nights::TrackedRun* run = history.find_run(id);
  return run == nullptr ? NamedRun{.run = {.run_id = id}} : NamedRun{*run, true};
}

NamedSeries named_series(const nights::AlertSeries& alert, const nights::History& history,
                         const SeriesNames& names) {
  const nights::TrackedSeries* series = series_of(history, alert.id);
  NamedSeries named{.alert = alert, .change = reported_change(alert, series)};
  if (series == nullptr) return named;
  named.series = *series;
  named.known = true;
  named.title = names.case_words(*series);
  return named;
}

}  // namespace

std::string alert_sentence(const nights::Alert& alert, const nights::History& history) {
  std::string text =
      formatted("{} on {}: {}", alert.id, alert.host,
                alert.state == nights::AlertState::kOpen ? std::string("regression")
                                                         : std::string(name_of(alert.state)));
  if (!alert.series.empty()) {
    const nights::AlertSeries& first = alert.series.front();
    text += ": " + first.experiment;
    const nights::TrackedSeries* series = series_of(history, first.id);
    if (series != nullptr) {
      text += formatted(" {}, {}: {} -> {},", SeriesNames(history).case_words(*series),
                        metric_label(series->metric), amount_text(first.usual, series->unit),
                        amount_text(first.value, series->unit));
    }
    text += " " + reported_text(first, series);
    if (!first.cause.empty()) text += " (" + first.cause + ")";
    if (alert.series.size() > 1) {
      text += formatted(" and {} more series", alert.series.size() - 1);
    }
  }
  return text::printable(text + range_title(alert, history));
}

NamedAlert named_alert(const nights::Alert& alert, const nights::History& history,
                       const std::string& history_words) {
  NamedAlert named{.alert = alert,
                   .sentence = alert_sentence(alert, history),
                   .show = formatted("stepbench track show {}{}", alert.id, history_words),
                   .opened_run = named_run(alert.opened_run, history),
                   .first_bad = named_run(alert.first_bad, history),
                   .last_good = named_run(alert.last_good, history)};
  const SeriesNames names(history);
  for (const nights::AlertSeries& each : alert.series) {
    named.series.push_back(named_series(each, history, names));
  }
  return named;
}

std::string alert_json(const nights::Alert& alert, const nights::History& history,
                       const std::string& history_words) {
  return json::object_text(named_alert(alert, history, history_words)) + "\n";
}

}  // namespace stepbench::report
