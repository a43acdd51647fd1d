// SPDX-License-Identifier: Apache-2.0
// An alert as one line of JSON, "stepbench.alert": the input of the command of `nightly --on-alert`
// (fields: tools/examples/nightly/README.md), and part of a night's verdict, which is read back.
// Pure; any thread.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "harness/nights/fields.h"
#include "harness/report/history_view.h"

namespace stepbench::report {

inline constexpr const char* kAlertSchema = "stepbench.alert";
inline constexpr const char* kAlertVersion = "2.0.0";

// One sentence for a chat or a mail subject. `history` has the alert's series and runs; missing
// ones are named by id.
[[nodiscard]] std::string alert_sentence(const nights::Alert& alert, const track::History& history);
// `history_words`: options that name the history, for the command that shows the alert.
[[nodiscard]] std::string alert_json(const nights::Alert& alert, const track::History& history,
                                     const std::string& history_words);

// What the JSON has, beside the alert, of its runs and series.

struct NamedRun {
  track::TrackedRun run = {};
  bool known = false;  // false: the history has no more than its id
};

struct NamedSeries {
  nights::AlertSeries alert = {};
  track::TrackedSeries series = {};
  bool known = false;  // the same
  std::string title = {};
  ReportedChange change = {};
};

struct NamedAlert {
  nights::Alert alert = {};
  std::string sentence = {};
  std::string show = {};  // command line that shows the alert
  std::optional<NamedRun> opened_run = {};
  std::optional<NamedRun> first_bad = {};
  std::optional<NamedRun> last_good = {};
  std::vector<NamedSeries> series = {};
};
[[nodiscard]] NamedAlert named_alert(const nights::Alert& alert, const track::History& history,
                                     const std::string& history_words);

template <typename V>
void fields(V& v, json::Of<NamedRun> auto& named) {
  auto& run = named.run;
  const json::FieldRule known{.written = named.known};
  v("run_id", run.run_id)("started_utc", run.started_utc, known)("folder", run.folder, known);
  v("build_id", run.build_id, known)("git_sha", run.git_sha, known);
  v("git_branch", run.git_branch, known)("git_dirty", run.git_dirty, known);
  v("labels", run.labels, known);
}

template <typename V>
void fields(V& v, json::Of<NamedSeries> auto& named) {
  constexpr json::FieldRule kNanWhereNull{.null_is = std::numeric_limits<double>::quiet_NaN()};
  auto& alert = named.alert;
  auto& series = named.series;
  const json::FieldRule known{.written = named.known};
  v("id", alert.id)("experiment", alert.experiment)("case", named.title, known);
  v("case_id", series.case_id, known)("metric", series.metric, known)("unit", series.unit, known);
  v("options", series.options, known);
  v("usual", alert.usual, kNanWhereNull)("value", alert.value, kNanWhereNull);
  v("change", named.change.change)("change_low", named.change.low);
  v("change_high", named.change.high)("as_share", alert.as_share)("told", alert.change);
  v("told_run", alert.reported_run)("cause", alert.cause)("back", alert.back);
  v("can_be_measured", alert.can_be_measured);
}

template <typename V>
void fields(V& v, json::Of<NamedAlert> auto& named) {
  auto& alert = named.alert;
  v.constant("schema", kAlertSchema).constant("version", kAlertVersion)("text", named.sentence);
  v("id", alert.id)("state", alert.state)("host", alert.host)("experiment", alert.experiment);
  v("opened_utc", alert.opened_utc)("note", alert.note)("until", alert.until);
  v("assignee", alert.assignee)("show", named.show)("opened_run", named.opened_run);
  v("first_bad", named.first_bad)("last_good", named.last_good)("commits", alert.commits);
  v("series", named.series);
}

}  // namespace stepbench::report
