// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/base/exit_status.h"
#include "harness/report/checks.h"
#include "harness/report/night_words.h"
#include "harness/report/read_night.h"
#include "harness/report/series_names.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

CheckState state_of(const nights::NightSeries& series) {
  switch (series.state) {
    case nights::NightState::kRegression:
      return CheckState::kFailed;
    case nights::NightState::kNoData:
      return CheckState::kError;
    case nights::NightState::kNoVerdict:
      return CheckState::kSkipped;
    case nights::NightState::kSuspect:
      return series.worse ? CheckState::kSkipped : CheckState::kPassed;
    default:
      return CheckState::kPassed;
  }
}

std::string commits_of(const nights::Alert& alert) {
  constexpr std::size_t kDigits = 8;
  std::string text;
  for (const nights::RangeCommit& commit : alert.commits) {
    text += "commit " + commit.sha.substr(0, kDigits) + ' ' + commit.title + " (" + commit.author +
            ')' + (commit.url.empty() ? "" : ' ' + commit.url) + '\n';
  }
  return text;
}

void add_alert(Check& check, const nights::NightSeries& series, const ShownNight& shown) {
  if (series.alert.empty()) return;
  check.text += "alert " + series.alert + '\n';
  check.properties["alert"] = series.alert;
  const nights::Alert* alert = shown.night.alerts.find(series.alert);
  if (alert == nullptr) return;
  const nights::AlertSeries* known = alert->find(series.series.id);
  if (known != nullptr && !known->cause.empty()) {
    check.text += "cause: " + known->cause + '\n';
    check.properties["cause"] = known->cause;
  }
  const auto add_commit = [&](const char* name, const std::string& run_id) {
    const track::TrackedRun* run = shown.history.find_run(run_id);
    if (run == nullptr || run->git_sha.empty()) return;
    check.properties[name] = run->git_sha;
  };
  add_commit("last_good_commit", alert->last_good);
  add_commit("first_bad_commit", alert->first_bad);
  check.text += commits_of(*alert);
  if (!alert->assignee.empty()) check.properties["assignee"] = alert->assignee;
}

Check check_of_series(const nights::NightSeries& series, const std::string& name,
                      const ShownNight& shown) {
  const std::string_view state = name_of(series.state);
  const std::string& unit = series.series.unit;
  Check check{.name = name, .group = series.series.workload, .state = state_of(series)};
  if (check.group.empty()) check.group = "stepbench";
  check.message = state;
  if (series.value && series.usual) {
    check.message += ": usually " + amount_text(*series.usual, unit) + ", tonight " +
                     amount_text(*series.value, unit);
    if (series.change) check.message += " (" + text::signed_percent(*series.change) + " %)";
  }
  if (const std::string why = series_reason(series); !why.empty()) check.message += "; " + why;
  check.text = check.message + '\n';
  add_alert(check, series, shown);
  check.type = state;
  if (unit == "ns" && series.value) check.seconds = *series.value * 1e-9;
  const auto add = [&](const char* property, const std::string& text) {
    if (!text.empty()) check.properties[property] = text;
  };
  add("case_id", series.series.case_id);
  add("metric", series.series.metric);
  if (series.reported) {
    add("first_bad", series.reported->bad);
    add("last_good", series.reported->good);
  }
  check.properties["series_id"] = series.series.id;
  return check;
}

}  // namespace

std::vector<CheckSuite> checks_of_night(std::string_view night_json) {
  const ReadNight read = read_night(night_json);
  if (!read.error.empty()) return checks_of_error("stepbench track check", read.error);
  const nights::Night& night = read.shown.night;
  const std::string verdict(name_of(night.verdict));
  CheckSuite suite{
      .name = "night of " + read.host,
      .host = read.host,
      .verdict = verdict,
      .properties = {{"verdict", verdict}, {"exit_code", std::int64_t{night.exit_code}}}};
  if (!night.experiments.empty()) {
    suite.started_utc = night.experiments.front().run.started_utc;
  }
  for (std::size_t i = 0; i < night.series.size(); ++i) {
    suite.checks.push_back(check_of_series(night.series[i], read.names[i], read.shown));
  }
  const bool reported = suite.count(CheckState::kError) > 0;
  if ((night.exit_code == kExitUsage || night.exit_code == kExitNothingMeasured) && !reported) {
    suite.checks.push_back({.name = "the night as a whole",
                            .group = "stepbench",
                            .state = CheckState::kError,
                            .type = suite.verdict,
                            .message = night.notes.empty() ? suite.verdict : night.notes.front(),
                            .text = text::join(night.notes, "\n") + '\n'});
  }
  return {suite};
}

}  // namespace stepbench::report
