// SPDX-License-Identifier: Apache-2.0
// What is said of a night of a series and of an alert, in few words. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/history_view.h"

namespace stepbench::report {

[[nodiscard]] std::string night_date(const track::TrackedRun& run);  // "2026-01-31"
// "0123abcd", the build's where no commit is known; "0123abcd+" with changes of its own, or "-".
[[nodiscard]] std::string program_id(const track::TrackedRun& run);
// "commit 4d134bc0, build 4ac4e706"
[[nodiscard]] std::string program_text(const track::TrackedRun& run);

// "between 2026-01-30 (commit ...) and 2026-01-31 (...)": where it came; empty if unknown.
[[nodiscard]] std::string range_text(const track::Alert& alert, const track::History& history);
// "as far as +5.00 %, until 2026-02-01"; empty: for good.
[[nodiscard]] std::string acceptance_words(const track::Alert& alert);
// The last reason that was given; empty where it is the screen's, whose numbers stand there
// already.
[[nodiscard]] std::string note_words(const track::Alert& alert);
// "A1: acknowledged, until 2026-03-01; expected"
[[nodiscard]] std::string alert_words(const track::Alert& alert);
// That moved most; nullptr of an alert without any.
[[nodiscard]] const track::AlertSeries* largest_of(const track::Alert& alert);

// Of this series; nullptr: none.
[[nodiscard]] const track::Alert* alert_named(const HistoryView& view, const std::string& id);
// What happened that night: alerts, segments, changes of the level, notes, a busy machine.
[[nodiscard]] std::vector<std::string> marks_of(const HistoryNight& night);
// Of an open alert whose experiment had no night on its machine for two weeks, as that of a branch
// that was deleted: nothing will measure it any more, and what a person can do. Else empty.
[[nodiscard]] std::string stale_alert_words(const track::Alert& alert,
                                            std::span<const track::TrackedRun> runs,
                                            const std::string& today,
                                            const std::string& history_words);

}  // namespace stepbench::report
