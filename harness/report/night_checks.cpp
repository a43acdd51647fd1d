// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/exit_status.h"
#include "harness/json/line_object.h"
#include "harness/report/checks.h"
#include "harness/report/series_names.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/track/night.h"

namespace stepbench::report {
namespace {

CheckState state_of(std::string_view state, bool worse) {
  const auto is = [&](track::NightState other) { return state == track::name_of(other); };
  if (is(track::NightState::kRegression)) return CheckState::kFailed;
  if (is(track::NightState::kInvalid) || is(track::NightState::kNoData) ||
      is(track::NightState::kFutureDated)) {
    return CheckState::kError;
  }
  if (is(track::NightState::kWarmingUp) || is(track::NightState::kIgnored))
    return CheckState::kSkipped;
  if (is(track::NightState::kSuspect)) {
    return worse ? CheckState::kSkipped : CheckState::kPassed;
  }
  return CheckState::kPassed;
}

// By series and alert: what its measurements name as the cause.
std::string cause_of_alert(const json::LineObject& alert, std::string_view series) {
  const auto all = alert.array("series");
  std::string cause;
  for (std::size_t i = 0; all && i < all->size(); ++i) {
    const auto one = (*all)[i].object();
    if (!one || one->text("id") != series) continue;
    const auto measured = one->array("measured");
    for (std::size_t j = 0; measured && j < measured->size(); ++j) {
      const auto each = (*measured)[j].object();
      if (each && !each->text("cause").empty()) cause = each->text("cause");
    }
  }
  return cause;
}

std::string commits_of_alert(const json::LineObject& alert) {
  constexpr std::size_t kDigits = 8;
  std::string text;
  const auto commits = alert.array("commits");
  for (std::size_t i = 0; commits && i < commits->size(); ++i) {
    const auto commit = (*commits)[i].object();
    if (!commit) continue;
    const std::string url = commit->text("url");
    text += "commit " + commit->text("sha").substr(0, kDigits) + ' ' + commit->text("title") +
            " (" + commit->text("author") + ')' + (url.empty() ? "" : ' ' + url) + '\n';
  }
  return text;
}

// What a reader of the check needs of the alert that the series is part of.
void add_alert(Check& check, const json::LineObject& series,
               const std::optional<std::vector<json::JsonView>>& alerts) {
  const std::string id = series.text("alert");
  if (id.empty()) return;
  check.text += "alert " + id + '\n';
  check.properties["alert"] = id;
  for (std::size_t i = 0; alerts && i < alerts->size(); ++i) {
    const auto alert = (*alerts)[i].object();
    if (!alert || alert->text("id") != id) continue;
    if (const std::string cause = cause_of_alert(*alert, series.text("id")); !cause.empty()) {
      check.text += "cause: " + cause + '\n';
      check.properties["cause"] = cause;
    }
    for (const char* end : {"last_good", "first_bad"}) {
      const auto found = alert->find(end);
      const auto run = found ? found->object() : std::nullopt;
      const std::string sha = run ? run->text("git_sha") : std::string();
      if (!sha.empty()) check.properties[std::string(end) + "_commit"] = sha;
    }
    check.text += commits_of_alert(*alert);
    if (const std::string who = alert->text("assignee"); !who.empty()) {
      check.properties["assignee"] = who;
    }
  }
}

Check check_of_series(const json::LineObject& series,
                      const std::optional<std::vector<json::JsonView>>& alerts) {
  const std::string state = series.text("state");
  const std::string unit = series.text("unit");
  const auto value = series.number("value");
  const auto usual = series.number("usual");
  const auto change = series.number("change");
  Check check{.name = series.text("name"),
              .group = series.text("workload"),
              .state = state_of(state, series.flag("worse"))};
  if (check.group.empty()) check.group = "stepbench";
  check.message = state;
  if (value && usual) {
    check.message +=
        ": usually " + amount_text(*usual, unit) + ", tonight " + amount_text(*value, unit);
    if (change) check.message += " (" + text::signed_percent(*change) + " %)";
  }
  const std::string why = series.text("why");
  if (!why.empty()) check.message += "; " + why;
  check.text = check.message + '\n';
  add_alert(check, series, alerts);
  check.type = state;
  if (unit == "ns" && value) check.seconds = *value * 1e-9;
  for (const char* field : {"case_id", "metric", "first_bad", "last_good"}) {
    if (std::string text = series.text(field); !text.empty()) check.properties[field] = text;
  }
  check.properties["series_id"] = series.text("id");
  return check;
}

}  // namespace

std::vector<CheckSuite> checks_of_night(std::string_view night_json) {
  json::LineParser parser;
  const json::LineObject night = parser.parse(night_json, json::LineParser::Padding::kNone).object;
  const auto exit_code = night.integer("exit_code");
  if (const std::string error = night.text("error"); !error.empty()) {
    return checks_of_error("stepbench track check", error);
  }
  CheckSuite suite{.name = "night of " + night.text("host"),
                   .host = night.text("host"),
                   .verdict = night.text("verdict"),
                   .properties = {{"verdict", night.text("verdict")}, {"exit_code", exit_code}}};
  if (const auto runs = night.array("runs")) {
    for (const json::JsonView& each : *runs) {
      const auto run = each.object();
      if (run && suite.started_utc.empty()) suite.started_utc = run->text("started_utc");
    }
  }
  const auto alerts = night.array("alerts");
  if (const auto series = night.array("series")) {
    for (const json::JsonView& each : *series) {
      if (const auto one = each.object()) suite.checks.push_back(check_of_series(*one, alerts));
    }
  }
  const std::vector<std::string> notes = night.texts("notes");
  const bool told = suite.count(CheckState::kError) > 0;
  if ((exit_code == kExitUsage || exit_code == kExitNothingMeasured) && !told) {
    suite.checks.push_back({.name = "the night as a whole",
                            .group = "stepbench",
                            .state = CheckState::kError,
                            .type = suite.verdict,
                            .message = notes.empty() ? suite.verdict : notes.front(),
                            .text = text::join(notes, "\n") + '\n'});
  }
  return {suite};
}

}  // namespace stepbench::report
