// SPDX-License-Identifier: Apache-2.0
// A night's verdict: its words, its document (four lines for a quiet night), and its JSON, written
// and read back, with that of alerts. Pure; any thread.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/document/document.h"
#include "harness/nights/fields.h"
#include "harness/nights/night.h"
#include "harness/nights/night_store.h"
#include "harness/report/history.h"

namespace stepbench::report {

// Display form: "no verdict" for "no-verdict".
[[nodiscard]] std::string state_words(nights::NightState state);

// Reason for a series' state, a sentence without a full stop; "" if its numbers suffice.
[[nodiscard]] std::string series_reason(const nights::NightSeries& series);

// A night's verdict for people; four lines for a quiet night. Pure; any thread.

// A night with the data for its charts.
struct ShownNight {
  nights::Night night = {};
  nights::History history = {};  // newest point of each series, and all runs that are mentioned
  nights::History moved = {};    // nights of the series that moved
  std::map<std::string, std::vector<nights::JudgedRow>, std::less<>> judged = {};  // of `moved`
};

struct NightView {
  // Appended to each proposed command line: "" or " --db URL".
  std::string history_words = {};
  std::size_t rows = 40;  // of moved series; 0: every series with the reason for its state
};

// The series that moved, as in moved_series(); if `rows` is 0 followed by all others.
[[nodiscard]] document::Table night_table(const ShownNight& shown, const NightView& view);

// Its only chapter is "overview". Bots find their own comment by the document's marker.
[[nodiscard]] document::Document night_document(const ShownNight& shown, const NightView& view);

// Series that moved: most serious state first, then largest change.
[[nodiscard]] std::vector<const nights::NightSeries*> moved_series(const nights::Night& night);

inline constexpr std::size_t kNightCharts = 20;
inline constexpr std::size_t kChartedNights = 120;
// Nights of the first of these series, for charts; they point into `shown`.
[[nodiscard]] std::vector<HistoryView> moved_over_nights(const ShownNight& shown);

// A night's verdict as JSON, "stepbench.night", written and read back; results/NIGHT.md has the
// fields. Pure; any thread.

inline constexpr std::string_view kNightSchema = "stepbench.night";
inline constexpr std::string_view kNightVersion = "2.1.0";

// One JSON object with `exit_code`, `verdict` and every series; numbers that are not finite are
// null. The same night gives the same bytes. The first kNightCharts series that moved include their
// nights, as in history.h.
[[nodiscard]] std::string night_json(const ShownNight& shown, const NightView& view);
// The same object for a night that failed: the history could not be read.
[[nodiscard]] std::string night_error_json(int exit_code, std::string_view message);

struct ReadNight {
  ShownNight shown = {};  // as far as the file contains it
  std::string host = {};
  std::vector<std::string> names = {};  // names of its series, as in the file
  NightView view = {};
  std::string error = {};  // why there is no night; empty if there is one
};
// Throws LineError unless it is an object of the schema stepbench.night 2.x. A newer minor version
// adds a note.
[[nodiscard]] ReadNight read_night(std::string_view night_json);

// An alert as one line of JSON, "stepbench.alert": the input of the command of `nightly --on-alert`
// (fields: tools/examples/nightly/README.md), and part of a night's verdict, which is read back.
// Pure; any thread.

inline constexpr const char* kAlertSchema = "stepbench.alert";
inline constexpr const char* kAlertVersion = "2.0.0";

// One sentence for a chat or a mail subject. `history` has the alert's series and runs; missing
// ones are named by id.
[[nodiscard]] std::string alert_sentence(const nights::Alert& alert,
                                         const nights::History& history);
// `history_words`: options that name the history, for the command that shows the alert.
[[nodiscard]] std::string alert_json(const nights::Alert& alert, const nights::History& history,
                                     const std::string& history_words);

// The runs and series of an alert, which its JSON has beside it.

struct NamedRun {
  nights::TrackedRun run = {};
  bool known = false;  // false: the history has no more than its id
};

struct NamedSeries {
  nights::AlertSeries alert = {};
  nights::TrackedSeries series = {};
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
[[nodiscard]] NamedAlert named_alert(const nights::Alert& alert, const nights::History& history,
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
