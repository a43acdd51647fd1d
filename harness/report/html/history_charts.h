// SPDX-License-Identifier: Apache-2.0
// A history on a page: what is open, and each series over the nights with its levels, suspects and
// alerts. Pure; any thread.
#pragma once

#include <optional>
#include <span>

#include "harness/document/document.h"
#include "harness/report/history_view.h"
#include "harness/report/series_names.h"

namespace stepbench::report {

// `events`: all that the history recorded of its alerts. Series with alerts first; of very many
// series the section says how many are left out.
// nullopt without any value.
[[nodiscard]] std::optional<document::Chapter> history_section(
    const track::History& history, std::span<const track::TrackEvent> events,
    const track::ScreenOptions& screen);

// One series; nullopt where no night has a value of it.
[[nodiscard]] std::optional<document::Figure> series_figure(const HistoryView& view,
                                                            const SeriesNames& names);

}  // namespace stepbench::report
