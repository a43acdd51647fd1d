// SPDX-License-Identifier: Apache-2.0
// A series over its nights as a figure: values with their intervals, levels, alerts, notes, busy
// nights; on a terminal a chart of characters. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/document/document.h"
#include "harness/report/history_view.h"
#include "harness/report/series_names.h"

namespace stepbench::report {

inline constexpr std::size_t kMaxNights = 1000;  // of a series, the newest

// nullopt where no night has a value of it.
[[nodiscard]] std::optional<document::Figure> series_figure(const HistoryView& view,
                                                            const SeriesNames& names);

}  // namespace stepbench::report
