// SPDX-License-Identifier: Apache-2.0
// Reads a history's tables inside the caller's transaction.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "harness/nights/history.h"
#include "harness/nights/internal/database.h"

namespace stepbench::nights {

[[nodiscard]] std::vector<TrackedRun> load_runs(Database& database);
// By series id; reads no points.
[[nodiscard]] std::map<std::string, SeriesExtent> load_extents(Database& database);

[[nodiscard]] History load_history(Database& database, const HistoryQuery& query);

// Visits every series with all its points, one after another, so that memory stays bounded for a
// long history. `visit` also gets the history of the newest points, whose runs the points index.
// Returns that history with all cohorts.
using VisitSeries = std::function<void(const History& newest, const SeriesHistory& one)>;
History load_each_series(Database& database, const VisitSeries& visit);

}  // namespace stepbench::nights
