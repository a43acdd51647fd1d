// SPDX-License-Identifier: Apache-2.0
// Writes one imported run into a history's tables, inside the caller's transaction. If the run id
// is taken, the key is "ID@HOST" for another machine's run, and "ID-2" for a run of the same
// machine in another folder that began in the same second.
#pragma once

#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "harness/nights/internal/database.h"
#include "harness/nights/internal/import.h"
#include "harness/nights/merged_cases.h"

namespace stepbench::nights {

// `known`: ids of series written in the caller's transaction or an earlier one: they are not
// written again, and those of this run are added.
using KnownSeries = std::unordered_set<std::string>;
[[nodiscard]] ImportReport store_run(Database& database, const ImportedRun& run,
                                     std::span<const Cohort> cohorts, const MergedCases& merged,
                                     KnownSeries& known);

// Moves the points of a case to the series of the case it was merged into. A series that already
// has a value for the same run keeps it.
void move_points(Database& database, const MergedCase& merged);

}  // namespace stepbench::nights
