// SPDX-License-Identifier: Apache-2.0
// Figure of a series over its nights: values with intervals, levels, alerts, notes, busy nights; on
// a terminal a character chart. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>

#include "harness/document/document.h"
#include "harness/report/history_view.h"
#include "harness/report/series_names.h"

namespace stepbench::report {

inline constexpr std::size_t kMaxNights = 1000;  // newest nights of a series

// nullopt if no night has a value.
[[nodiscard]] std::optional<document::Figure> series_figure(const HistoryView& view,
                                                            const SeriesNames& names);

}  // namespace stepbench::report
