// SPDX-License-Identifier: Apache-2.0
#include "harness/report/alert_json.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/json/json_text.h"
#include "harness/nights/fields.h"
#include "harness/report/history_words.h"
#include "harness/report/series_names.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"

namespace stepbench::report {
namespace {

// Options that distinguish the case from the others of its experiment.
std::string case_title(const track::History& history, const track::TrackedSeries& series,
                       const std::string& otherwise) {
  std::vector<const OptionValues*> cases;
  for (const track::SeriesHistory& other : history.series) {
    if (other.series.experiment == series.experiment) cases.push_back(&other.series.options);
  }
  return estimate::case_label(series.options, estimate::varying_options(cases, {}), otherwise);
}

const track::TrackedSeries* series_of(const track::History& history, const std::string& id) {
  const track::SeriesHistory* found = history.find_series(id);
  return found == nullptr ? nullptr : &found->series;
}

std::string program_title(const track::TrackedRun& run) {
  if (!run.git_sha.empty()) return run.git_sha.substr(0, 12) + (run.git_dirty ? " (dirty)" : "");
  return run.build_id.empty() ? run.run_id : "build " + run.build_id.substr(0, 12);
}

std::string range_title(const nights::Alert& alert, const track::History& history) {
  const track::TrackedRun* good = history.find_run(alert.last_good);
  const track::TrackedRun* bad = history.find_run(alert.first_bad);
  const std::string from = good == nullptr ? alert.last_good : program_title(*good);
  const std::string to = bad == nullptr ? alert.first_bad : program_title(*bad);
  if (to.empty()) return {};
  return from.empty() ? "; first seen with " + to : "; between " + from + " and " + to;
}

void add_told_run(json::JsonText& json, std::string_view key, const std::string& id,
                  const track::History& history) {
  if (id.empty()) {
    json.null(key);
    return;
  }
  json.open_object(key).text("run_id", id);
  if (const track::TrackedRun* run = history.find_run(id)) {
    json.text("started_utc", run->started_utc)
        .text("folder", run->folder)
        .text("build_id", run->build_id)
        .text("git_sha", run->git_sha)
        .text("git_branch", run->git_branch)
        .flag("git_dirty", run->git_dirty)
        .values("labels", run->labels);
  }
  json.close_object();
}

void add_told_series(json::JsonText& json, const nights::AlertSeries& each,
                     const track::History& history) {
  json.open_object().text("id", each.id).text("experiment", each.experiment);
  const track::TrackedSeries* series = series_of(history, each.id);
  if (series != nullptr) {
    json.text("case", case_title(history, *series, series->case_id.substr(0, 8)))
        .text("case_id", series->case_id)
        .text("metric", series->metric)
        .text("unit", series->unit)
        .values("options", series->options);
  }
  const ReportedChange reported = reported_change(each, series);
  json.number("usual", each.usual)
      .number("value", each.value)
      .number("change", reported.change)
      .number("change_low", reported.low)
      .number("change_high", reported.high);
  json::FieldWriter writer(json);
  writer("as_share", each.as_share)("told", each.change)("told_run", each.reported_run);
  writer("cause", each.cause)("back", each.back)("can_be_measured", each.can_be_measured);
  json.close_object();
}

}  // namespace

std::string alert_sentence(const nights::Alert& alert, const track::History& history) {
  std::string text = alert.id + " on " + alert.host + ": " +
                     (alert.state == nights::AlertState::kOpen ? std::string("regression")
                                                               : std::string(name_of(alert.state)));
  if (!alert.series.empty()) {
    const nights::AlertSeries& first = alert.series.front();
    text += ": " + first.experiment;
    const track::TrackedSeries* series = series_of(history, first.id);
    if (series != nullptr) {
      const std::string label = case_title(history, *series, {});
      text += (label.empty() ? "" : " " + label) + ", " + metric_label(series->metric) + ": " +
              amount_text(first.usual, series->unit) + " -> " +
              amount_text(first.value, series->unit) + ",";
    }
    text += " " + reported_text(first, series);
    if (!first.cause.empty()) text += " (" + first.cause + ")";
    if (alert.series.size() > 1) {
      text += " and " + std::to_string(alert.series.size() - 1) + " more series";
    }
  }
  return text::printable(text + range_title(alert, history));
}

std::string alert_json(const nights::Alert& alert, const track::History& history,
                       const std::string& show) {
  json::JsonText json;
  json.open_object()
      .text("schema", kAlertSchema)
      .text("version", kAlertVersion)
      .text("text", alert_sentence(alert, history))
      .text("id", alert.id)
      .text("state", name_of(alert.state))
      .text("host", alert.host)
      .text("experiment", alert.experiment)
      .text("opened_utc", alert.opened_utc)
      .text("note", alert.note)
      .text("until", alert.until)
      .text("assignee", alert.assignee)
      .text("show", show);
  add_told_run(json, "opened_run", alert.opened_run, history);
  add_told_run(json, "first_bad", alert.first_bad, history);
  add_told_run(json, "last_good", alert.last_good, history);
  json.open_array("commits");
  for (const nights::RangeCommit& commit : alert.commits) {
    json.open_object();
    json::FieldWriter writer(json);
    fields(writer, commit);
    json.close_object();
  }
  json.close_array().open_array("series");
  for (const nights::AlertSeries& each : alert.series) add_told_series(json, each, history);
  return json.close_array().close_object().take() + "\n";
}

}  // namespace stepbench::report
