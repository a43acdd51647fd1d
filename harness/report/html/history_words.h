// SPDX-License-Identifier: Apache-2.0
// What a page says of the nights of a series. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/report/history_view.h"

namespace stepbench::report {

inline constexpr std::size_t kMaxNights = 1000;  // of a series, the newest

[[nodiscard]] bool has_value(const HistoryNight& night);
// "commit 01234567 of main", or the build where no commit is known.
[[nodiscard]] std::string commit_words(const track::TrackedRun& run);
// Of this series; null: none.
[[nodiscard]] const track::Alert* alert_named(const HistoryView& view, const std::string& id);
// "A1: acknowledged, until 2026-03-01; expected"
[[nodiscard]] std::string alert_words(const track::Alert& alert);
// What happened that night: alerts, segments, changes of the level.
[[nodiscard]] std::vector<std::string> marks_of(const HistoryNight& night, const HistoryView& view);

}  // namespace stepbench::report
