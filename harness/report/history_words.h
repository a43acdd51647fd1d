// SPDX-License-Identifier: Apache-2.0
// What is said of a night of a series and of an alert, in few words. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/report/history_view.h"

namespace stepbench::report {

[[nodiscard]] std::string night_date(const track::TrackedRun& run);  // "2026-01-31"
// "0123abcd", the build's where no commit is known; "0123abcd+" with changes of its own, or "-".
[[nodiscard]] std::string program_id(const track::TrackedRun& run);
// "commit 4d134bc0, build 4ac4e706"
[[nodiscard]] std::string program_text(const track::TrackedRun& run);

// "between 2026-01-30 (commit ...) and 2026-01-31 (...)": where it came; empty if unknown.
[[nodiscard]] std::string range_text(const nights::Alert& alert, const track::History& history);
// The same, and the commits there.
[[nodiscard]] std::vector<document::Line> range_lines(const nights::Alert& alert,
                                                      const track::History& history);

// What was told of a series, as shares of what was usual, as measured.
struct ToldChange {
  double change = 0;
  double low = 0;
  double high = 0;
};
// Of `as_share` all are shares of the step. `series`: which one it is; nullptr: the history has it
// no more.
[[nodiscard]] ToldChange told_change(const nights::AlertSeries& told,
                                     const track::TrackedSeries* series);
// "+6.28 % [+5.80, +6.71]", and "of the step" where it is.
[[nodiscard]] std::string told_text(const nights::AlertSeries& told,
                                    const track::TrackedSeries* series);

// "as far as +5.00 %, until 2026-02-01"; empty: for good.
[[nodiscard]] std::string acceptance_words(const nights::Alert& alert);
// "A1: accepted, until 2026-03-01; expected"
[[nodiscard]] std::string alert_words(const nights::Alert& alert);
// That moved most; nullptr of an alert without any.
[[nodiscard]] const nights::AlertSeries* largest_of(const nights::Alert& alert);

// Of this series; nullptr: none.
[[nodiscard]] const nights::Alert* alert_named(const HistoryView& view, const std::string& id);
// What happened that night: an alert, what was told, a suspicion, notes, a busy machine.
[[nodiscard]] std::vector<std::string> marks_of(const HistoryNight& night);
// Of an open alert whose experiment had no night on its machine for two weeks, as that of a branch
// that was deleted: nothing will measure it any more, and what a person can do. Else empty.
[[nodiscard]] std::string stale_alert_words(const nights::Alert& alert,
                                            std::span<const track::TrackedRun> runs,
                                            const std::string& today,
                                            const std::string& history_words);

}  // namespace stepbench::report
