// SPDX-License-Identifier: Apache-2.0
#include "harness/report/read_night.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "harness/json/line_error.h"
#include "harness/json/line_object.h"
#include "harness/report/night_json.h"

namespace stepbench::report {
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

std::size_t size_in(const json::LineObject& source, std::string_view field) {
  return static_cast<std::size_t>(source.count(field));
}

track::NightState night_state_called(const std::string& name) {
  for (std::size_t i = 0; i < track::kNightStates; ++i) {
    const auto state = static_cast<track::NightState>(i);
    if (name == name_of(state)) return state;
  }
  throw json::LineError("'" + name + "' is no state of a night");
}

track::TrackedRun read_run(const json::LineObject& source, const std::string& host) {
  return {.run_id = source.text("run_id"),
          .started_utc = source.text("started_utc"),
          .experiment = source.text("experiment"),
          .host = host,
          .folder = source.text("folder"),
          .build_id = source.text("build_id"),
          .git_sha = source.text("git_sha"),
          .git_branch = source.text("git_branch"),
          .git_dirty = source.flag("git_dirty"),
          .labels = source.fields("labels")};
}

track::NightSeries read_series(const json::LineObject& source) {
  return {.series = {.id = source.text("id"),
                     .experiment = source.text("experiment"),
                     .workload = source.text("workload"),
                     .case_id = source.text("case_id"),
                     .metric = source.text("metric"),
                     .unit = source.text("unit"),
                     .options = OptionValues(source.fields("options"))},
          .state = night_state_called(source.text("state")),
          .fired = source.flag("fired"),
          .worse = source.flag("worse"),
          .run = source.text("run_id"),
          .value = source.number("value"),
          .usual = source.number("usual"),
          .change = source.number("change"),
          .score = source.number("score"),
          .normalised_change = source.number("normalised_change"),
          .points = size_in(source, "points_before"),
          .first_bad = source.text("first_bad"),
          .last_good = source.text("last_good"),
          .alert = source.text("alert"),
          .why = source.text("why")};
}

track::AlertSeries read_alert_series(const json::LineObject& source) {
  track::AlertSeries series{.id = source.text("id"),
                            .experiment = source.text("experiment"),
                            .first_bad = source.text("first_bad"),
                            .last_good = source.text("last_good"),
                            .usual = number_or_none(source, "usual"),
                            .value = number_or_none(source, "value"),
                            .change = number_or_none(source, "change"),
                            .score = number_or_none(source, "score")};
  for_objects_of(source, "measured", [&](const json::LineObject& measured) {
    series.measured.push_back({.reproduced = measured.flag("reproduced"),
                               .change = number_or_none(measured, "change"),
                               .low = number_or_none(measured, "low"),
                               .high = number_or_none(measured, "high"),
                               .p = number_or_none(measured, "p"),
                               .pairs = measured.integer("pairs"),
                               .night = measured.text("night"),
                               .good = measured.text("good"),
                               .campaign = measured.text("campaign"),
                               .cause = measured.text("cause"),
                               .closing = measured.flag("closing")});
  });
  return series;
}

track::Alert read_alert(const json::LineObject& source) {
  const std::string state = source.text("state");
  const auto known = one_of<track::AlertState>(state);
  if (!known) throw json::LineError("'" + state + "' is no state of an alert");
  track::Alert alert{.id = source.text("id"),
                     .state = *known,
                     .worse = source.flag("worse"),
                     .host = source.text("host"),
                     .experiment = source.text("experiment"),
                     .opened_utc = source.text("opened_utc"),
                     .confirmations = source.count("confirmations"),
                     .note = source.text("note"),
                     .assignee = source.text("assignee")};
  const auto run_id = [&](std::string_view field) {
    const auto found = source.find(field);
    const auto run = found ? found->object() : std::nullopt;
    return run ? run->text("run_id") : std::string();
  };
  alert.opened_run = run_id("opened_run");
  alert.first_bad = run_id("first_bad");
  alert.last_good = run_id("last_good");
  for_objects_of(source, "commits", [&](const json::LineObject& commit) {
    alert.commits.push_back({.sha = commit.text("sha"),
                             .author = commit.text("author"),
                             .title = commit.text("title"),
                             .url = commit.text("url")});
  });
  alert.commits_in_range = alert.commits.size();
  for_objects_of(source, "series", [&](const json::LineObject& series) {
    alert.series.push_back(read_alert_series(series));
  });
  return alert;
}

// All runs that the file speaks of, by time.
std::vector<track::TrackedRun> read_runs(const json::LineObject& night, const std::string& host) {
  std::map<std::string, track::TrackedRun> by_id;
  const auto add = [&](const json::LineObject& source) {
    track::TrackedRun run = read_run(source, host);
    by_id.try_emplace(run.run_id, std::move(run));
  };
  for_objects_of(night, "runs", add);
  for_objects_of(night, "alerts", [&](const json::LineObject& alert) {
    for (const char* field : {"opened_run", "first_bad", "last_good"}) {
      const auto found = alert.find(field);
      const auto run = found ? found->object() : std::nullopt;
      if (run && !run->text("started_utc").empty()) add(*run);
    }
  });
  for_objects_of(night, "series",
                 [&](const json::LineObject& series) { for_objects_of(series, "nights", add); });
  std::vector<track::TrackedRun> runs;
  for (auto& [id, run] : by_id) runs.push_back(std::move(run));
  std::ranges::stable_sort(runs, {}, &track::TrackedRun::started_utc);
  return runs;
}

HistoryView read_nights(const json::LineObject& source, track::SeriesHistory& series,
                        const campaign::CheckedNight& checked) {
  HistoryView view{.series = &series};
  series.points.reserve(source.array("nights")->size());
  for_objects_of(source, "nights", [&](const json::LineObject& night) {
    const auto run =
        std::ranges::find(checked.history.runs, night.text("run_id"), &track::TrackedRun::run_id);
    view.nights.push_back({.run = &*run});
    if (!night.find("launches")) return;
    series.points.push_back({.run = static_cast<std::size_t>(run - checked.history.runs.begin()),
                             .value = number_or_none(night, "value"),
                             .low = number_or_none(night, "low"),
                             .high = number_or_none(night, "high"),
                             .launches = night.integer("launches"),
                             .control = night.number("control"),
                             .cohort = night.text("cohort")});
    HistoryNight& read = view.nights.back();
    read.point = &series.points.back();
    read.normalised = night.number("normalised");
    read.usual = night.number("usual");
    read.change = night.number("change");
    read.score = night.number("score");
    read.fired = night.flag("fired");
    read.begins_segment = night.flag("begins_segment");
    read.alert = night.text("alert");
    read.note = night.text("note");
    if (const auto waited = night.number("waited_for_cpu_share")) {
      read.busy = {.waited = *waited, .others = night.number("others_cpu_share")};
    }
  });
  find_level_changes(view);
  for (const track::Alert& alert : checked.night.alerts.alerts) {
    if (alert.find(series.series.id) != nullptr) view.alerts.push_back(&alert);
  }
  return view;
}

// What follows an alert's "stepbench track show A1".
std::string history_words_in(const json::LineObject& night) {
  std::string words;
  for_objects_of(night, "alerts", [&](const json::LineObject& alert) {
    const std::string command = "stepbench track show " + alert.text("id");
    const std::string show = alert.text("show");
    if (show.starts_with(command)) words = show.substr(command.size());
  });
  return words;
}

track::Night read_verdict(const json::LineObject& source, const std::string& host) {
  track::Night night{.verdict = night_state_called(source.text("verdict")),
                     .exit_code = static_cast<int>(source.integer("exit_code"))};
  night.is_newest = source.flag("newest");
  night.notes = source.texts("notes");
  for_objects_of(source, "runs",
                 [&](const json::LineObject& run) { night.runs.push_back(read_run(run, host)); });
  for_objects_of(source, "series", [&](const json::LineObject& series) {
    night.series.push_back(read_series(series));
  });
  for_objects_of(source, "alerts", [&](const json::LineObject& alert) {
    night.alerts.alerts.push_back(read_alert(alert));
  });
  for_objects_of(source, "environment", [&](const json::LineObject& change) {
    night.cohorts.push_back({.experiment = change.text("experiment"),
                             .field = change.text("field"),
                             .before = change.text("before"),
                             .tonight = change.text("tonight"),
                             .series = size_in(change, "series"),
                             .by_ratio = size_in(change, "by_ratio")});
  });
  if (const auto precision = source.object("precision")) {
    night.precision = {.confirmed = size_in(*precision, "confirmed"),
                       .not_reproduced = size_in(*precision, "not_reproduced")};
  }
  return night;
}

}  // namespace

ReadNight read_night(std::string_view night_json) {
  json::LineParser parser;
  const json::LineObject source = parser.parse(night_json, json::LineParser::Padding::kNone).object;
  if (source.text("schema") != kNightSchema || !source.text("version").starts_with("1.")) {
    throw json::LineError("schema '" + source.text("schema") + ' ' + source.text("version") +
                          "' is no " + std::string(kNightSchema) + " 1.x");
  }
  ReadNight read{.host = source.text("host"), .error = source.text("error")};
  if (!read.error.empty()) {
    read.checked.night.exit_code = static_cast<int>(source.integer("exit_code"));
    return read;
  }
  read.checked.night = read_verdict(source, read.host);
  read.checked.history.runs = read_runs(source, read.host);
  if (source.flag("interrupted")) read.checked.signal = 0;
  read.view = {
      .screen = one_of<track::ScreenKind>(source.text("screen")).value_or(read.view.screen),
      .history_words = history_words_in(source)};
  std::vector<track::SeriesHistory>& series = read.checked.history.series;
  for (const track::NightSeries& one : read.checked.night.series) {
    series.push_back({.series = one.series});
  }
  std::size_t at = 0;
  for_objects_of(source, "series", [&](const json::LineObject& one) {
    track::SeriesHistory& history = series[at++];
    read.names.push_back(one.text("name"));
    if (one.find("nights")) read.moved.push_back(read_nights(one, history, read.checked));
  });
  return read;
}

}  // namespace stepbench::report
