// SPDX-License-Identifier: Apache-2.0
// Reads a history's tables, inside a transaction of the caller's.
#pragma once

#include <vector>

#include "harness/store/database.h"
#include "harness/track/history.h"

namespace stepbench::track {

[[nodiscard]] std::vector<TrackedRun> load_runs(store::Database& database);
[[nodiscard]] History load_history(store::Database& database, const HistoryQuery& query);

}  // namespace stepbench::track
