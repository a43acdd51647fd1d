// SPDX-License-Identifier: Apache-2.0
// Short texts about a night of a series and about an alert. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/report/history_view.h"

namespace stepbench::report {

[[nodiscard]] std::string night_date(const track::TrackedRun& run);  // "2026-01-31"
// "0123abcd", the build's id if the commit is unknown; "0123abcd+" with uncommitted changes; or
// "-".
[[nodiscard]] std::string program_id(const track::TrackedRun& run);
// "commit 4d134bc0, build 4ac4e706"
[[nodiscard]] std::string program_text(const track::TrackedRun& run);

// "between 2026-01-30 (commit ...) and 2026-01-31 (...)": the first bad run and the last good one;
// empty if unknown.
[[nodiscard]] std::string range_text(const nights::Alert& alert, const track::History& history);
// The same, with the commits in between.
[[nodiscard]] std::vector<document::Line> range_lines(const nights::Alert& alert,
                                                      const track::History& history);

// The reported change of a series, relative to the usual level, as measured.
struct ReportedChange {
  double change = 0;
  double low = 0;
  double high = 0;
};
// With `as_share` all values are shares of the step. `series`: the series; nullptr if the history
// no longer has it.
[[nodiscard]] ReportedChange reported_change(const nights::AlertSeries& reported,
                                             const track::TrackedSeries* series);
// "+6.28 % [+5.80, +6.71]", followed by "of the step" for shares.
[[nodiscard]] std::string reported_text(const nights::AlertSeries& reported,
                                        const track::TrackedSeries* series);

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
                                            std::span<const track::TrackedRun> runs,
                                            const std::string& today,
                                            const std::string& history_words);

}  // namespace stepbench::report
