// SPDX-License-Identifier: Apache-2.0
// A history for people and for programs: names of its series, one series over the nights, documents
// of series and alerts, a chart of a series, and CSV and JSON of all points. Pure; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/document/document.h"
#include "harness/estimate/noise.h"
#include "harness/json/json_text.h"
#include "harness/nights/history.h"
#include "harness/nights/merged_cases.h"
#include "harness/nights/night.h"
#include "harness/nights/night_store.h"

namespace stepbench::report {

// "step" for "step_ns", "data_wait" for "phase.data_wait".
[[nodiscard]] std::string metric_label(std::string_view metric);
// "76.0 ms", "1.50 GiB".
[[nodiscard]] std::string amount_text(double value, std::string_view unit);

class SeriesNames {
 public:
  // `history` must outlive this.
  explicit SeriesNames(const nights::History& history);

  // "train num_workers=2": the case among all cases of the history; if they do not differ, the
  // benchmark or script: "bench BM_Load". If another series of the same metric has this name, too,
  // differing fields such as those of the machine are appended: "train num_workers=2
  // (cpu_capability=AVX2)"; or else the id.
  [[nodiscard]] std::string case_name(const nights::TrackedSeries& series) const;
  // The same without the experiment; at least what is measured: "train_step".
  [[nodiscard]] std::string case_words(const nights::TrackedSeries& series) const;
  // With its metric: "train num_workers=2, step".
  [[nodiscard]] std::string name(const nights::TrackedSeries& series) const;
  // The shortest prefix of at least six digits that identifies the id.
  [[nodiscard]] std::string short_id(std::string_view id) const;
  // Null if the history does not have the series (any more).
  [[nodiscard]] const nights::TrackedSeries* find(std::string_view id) const;

  // Series that match words of a command line: the prefix of an id, or words each of which is an
  // experiment, a metric, an option's value or OPTION=VALUE. In history order; empty if a word
  // matches nothing.
  [[nodiscard]] std::vector<const nights::SeriesHistory*> meant(std::span<const std::string> words,
                                                                std::string_view metric) const;

 private:
  [[nodiscard]] std::vector<std::string> varying_of(const nights::TrackedSeries& series) const;
  [[nodiscard]] std::string suffix_of(const nights::TrackedSeries& series) const;
  void disambiguate(std::span<const nights::TrackedSeries* const> alike);
  // The default if no metric is given.
  [[nodiscard]] bool is_headline(const nights::TrackedSeries& series) const;

  const nights::History& history_;
  std::map<std::string, std::vector<std::string>, std::less<>> varying_;  // by experiment
  std::set<std::string_view> with_step_;                                  // case ids
  std::size_t digits_ = 6;
  std::map<std::string, std::string, std::less<>> suffixes_;  // by id: " (cpu_capability=AVX2)"
};

// Finds the only matching series; throws ConfigError with the candidates or the nearest ones.
// Without `metric`: its step, or what its case has instead.
[[nodiscard]] const nights::SeriesHistory& resolve_series(const SeriesNames& names,
                                                          const nights::History& history,
                                                          std::span<const std::string> words,
                                                          std::string_view metric);

// One series over the nights, as `track show` reports it: each night with its judgement, alerts,
// notes and the load of the machine; and short texts about a night and an alert. Pure; any thread.

struct HistoryNight {
  const nights::TrackedRun* run = nullptr;
  const nights::TrackedPoint* point = nullptr;   // null: a night without a value
  std::optional<nights::JudgedRow> judged = {};  // nullopt: only values
  std::string alert = {};                        // alert that attributes the change to this night
  std::string note = {};                         // notes by users
  std::optional<estimate::BusyMachine> busy = {};

  // Value expected by the level in that night; nullopt if it was not compared with one.
  [[nodiscard]] std::optional<double> usual() const;
  [[nodiscard]] std::optional<double> change() const;  // relative to it
  [[nodiscard]] bool is_suspect() const;
};
[[nodiscard]] bool has_value(const HistoryNight& night);

struct HistoryView {
  const nights::SeriesHistory* series = nullptr;
  std::vector<HistoryNight> nights = {};          // of the experiment and host, oldest first
  std::vector<const nights::Alert*> alerts = {};  // alerts of this series
};

// Judgements of a series' nights, on the host of its newest night; oldest first.
using JudgedNights = std::function<std::vector<nights::JudgedRow>(const nights::SeriesHistory&,
                                                                  const nights::History&)>;

// Those of a history; `store` must outlive the result.
[[nodiscard]] JudgedNights judged_nights(nights::TrackStore& store);

// Points into `history` and `log`, which must outlive it. `judged`: as from JudgedNights. `last`:
// number of newest nights.
[[nodiscard]] HistoryView view_of(const nights::SeriesHistory& series,
                                  const nights::History& history, const nights::AlertLog& log,
                                  std::span<const nights::TrackEvent> events,
                                  std::span<const nights::JudgedRow> judged, std::size_t last);

// Short texts about a night of a series and about an alert.

[[nodiscard]] std::string night_date(const nights::TrackedRun& run);  // "2026-01-31"
// "0123abcd", the build's id if the commit is unknown; "0123abcd+" with uncommitted changes; or
// "-".
[[nodiscard]] std::string program_id(const nights::TrackedRun& run);
// "commit 4d134bc0, build 4ac4e706"
[[nodiscard]] std::string program_text(const nights::TrackedRun& run);
// ", torch 2.12.0": versions in which the run differs from the other; else empty.
[[nodiscard]] std::string differing_versions(const nights::TrackedRun& run,
                                             const nights::TrackedRun& other);

// "between 2026-01-30 (commit ...) and 2026-01-31 (...)": the first bad run and the last good one;
// empty if unknown.
[[nodiscard]] std::string range_text(const nights::Alert& alert, const nights::History& history);
// The same, with the commits in between.
[[nodiscard]] std::vector<document::Line> range_lines(const nights::Alert& alert,
                                                      const nights::History& history);

// The reported change of a series, relative to the usual level, as measured.
struct ReportedChange {
  double change = 0;
  double low = 0;
  double high = 0;
};
// With `as_share` all values are shares of the step. `series`: the series; nullptr if the history
// no longer has it.
[[nodiscard]] ReportedChange reported_change(const nights::AlertSeries& reported,
                                             const nights::TrackedSeries* series);
// "+6.28 % [+5.80, +6.71]", followed by "of the step" for shares.
[[nodiscard]] std::string reported_text(const nights::AlertSeries& reported,
                                        const nights::TrackedSeries* series);

// "as far as +5.00 %, until 2026-02-01"; empty: without limits.
[[nodiscard]] std::string acceptance_words(const nights::Alert& alert);
// "A1: accepted, until 2026-03-01; expected"
[[nodiscard]] std::string alert_words(const nights::Alert& alert);
// The series that moved most; nullptr if the alert has none.
[[nodiscard]] const nights::AlertSeries* largest_of(const nights::Alert& alert);

// Alert of this series by id; nullptr if there is none.
[[nodiscard]] const nights::Alert* alert_named(const HistoryView& view, const std::string& id);
// Events of that night: an alert, a report, a suspicion, notes, a busy machine.
[[nodiscard]] std::vector<std::string> marks_of(const HistoryNight& night);
// For an open alert whose experiment had no night on its machine for two weeks, e.g. after its
// branch was deleted: says that it is no longer measured and how to close it. Otherwise empty.
[[nodiscard]] std::string stale_alert_words(const nights::Alert& alert,
                                            std::span<const nights::TrackedRun> runs,
                                            const std::string& today,
                                            const std::string& history_words);

// Histories as documents: a series over its nights, an alert with its history, the open alerts, the
// list of all series; and their tables, whose names link to the pages of series and alerts on a
// site. Pure; any thread.

// kPages: link to the pages of a site, which are all in one folder.
enum class Links : bool { kNone, kPages };
[[nodiscard]] std::string series_file(std::string_view series_id);
[[nodiscard]] std::string alert_file(std::string_view alert_id);

// Table row of a series with its newest night.
struct SeriesRow {
  const nights::TrackedSeries* series = nullptr;
  nights::TrackedPoint newest = {};
  std::size_t nights = 0;
  std::string first_date = {};
  std::string last_date = {};
  // If it was judged:
  std::string state = {};  // state of its newest night, or of its alert
  std::string alert = {};  // its open alert
  bool had_alerts = false;
  std::optional<double> usual = {};
  std::optional<double> change = {};
  document::Tone tone = document::Tone::kPlain;
};
// `view` must contain its newest night.
[[nodiscard]] SeriesRow row_of(const HistoryView& view);
[[nodiscard]] document::Table series_table(std::span<const SeriesRow> rows,
                                           const SeriesNames& names, Links links = Links::kNone);

// Nights of one series, or of several with their names. `most`: number of newest nights per series.
[[nodiscard]] document::Table nights_table(std::span<const HistoryView> views,
                                           const SeriesNames& names, std::size_t most);

// `today`: 2026-01-31; ages are relative to it; empty: no ages.
[[nodiscard]] document::Table alerts_table(std::span<const nights::Alert* const> alerts,
                                           const SeriesNames& names, const std::string& today,
                                           Links links = Links::kNone);

[[nodiscard]] std::vector<const nights::Alert*> newest_first(const nights::AlertLog& log);

inline constexpr std::size_t kShownNights = 12;  // in a terminal's table; its chart has more

// `history`: that of the view. `nights`: number of nights in the table.
[[nodiscard]] document::Document series_document(const HistoryView& view,
                                                 const nights::History& history,
                                                 const SeriesNames& names,
                                                 std::size_t nights = kShownNights,
                                                 Links links = Links::kNone);

// `charts`: of its series over the nights. `history_words`: appended to each proposed command line.
[[nodiscard]] document::Document alert_document(const nights::Alert& alert,
                                                const nights::History& history,
                                                const SeriesNames& names,
                                                std::span<const document::Figure> charts,
                                                const std::string& history_words,
                                                Links links = Links::kNone);

// Of its first series, over the nights.
[[nodiscard]] std::vector<document::Figure> alert_charts(const nights::Alert& alert,
                                                         const nights::AlertLog& log,
                                                         const SeriesNames& names,
                                                         nights::TrackStore& store);
// A line for each alert that is open or accepted.
[[nodiscard]] std::string waiting_alerts_json(const nights::AlertLog& log,
                                              const nights::History& history,
                                              const std::string& history_words);

// Includes accepted alerts. `today`: 2026-01-31; ages are relative to it.
[[nodiscard]] document::Document open_alerts_document(const nights::AlertLog& log,
                                                      const SeriesNames& names,
                                                      const std::string& today);
// "2 alerts are open: A3, regression, +8.00 % in train num_workers=2, step"; without open alerts,
// the changes in the last night of the rows.
[[nodiscard]] document::Answer open_alerts_answer(const nights::AlertLog& log,
                                                  const SeriesNames& names,
                                                  std::span<const SeriesRow> rows);

// `newest`: all runs, and the newest point of each series. `whole`: include series that are kept
// only to explain others (phases). No chapters if there are no series.
[[nodiscard]] document::Document series_list_document(
    const nights::History& newest, const std::map<std::string, nights::SeriesExtent>& extents,
    bool whole);

// Lines on what a merge joins, for `track merge`.
[[nodiscard]] std::string merge_text(const nights::CaseMerge& merge,
                                     const nights::History& history);

// A history for programs: every point with its night, in base units. Pure; any thread.

inline constexpr const char* kHistorySchema = "stepbench.history";
inline constexpr const char* kHistoryVersion = "2.0.0";

// One line per point, by time.
[[nodiscard]] std::string history_csv(const nights::History& history);
// One object: runs, series with their points, cohorts. Fields: results/SCHEMA.md.
[[nodiscard]] std::string history_json(const nights::History& history);

// One series with the facts about its nights. Fields: results/NIGHT.md.
[[nodiscard]] std::string series_json(const HistoryView& view, const SeriesNames& names);
// Writes the array "nights".
void write_nights(json::JsonText& json, const HistoryView& view);

// Figure of a series over its nights: values with intervals, levels, alerts, notes, busy nights; on
// a terminal a character chart. Pure; any thread.

inline constexpr std::size_t kMaxNights = 1000;  // newest nights of a series
// A terminal's chart has one cell per night for the first, one for two nights for up to the second.
inline constexpr std::size_t kChartColumns = 60;
inline constexpr std::size_t kChartNights = 2 * kChartColumns;

// nullopt if no night has a value.
[[nodiscard]] std::optional<document::Figure> series_figure(const HistoryView& view,
                                                            const SeriesNames& names);

}  // namespace stepbench::report
