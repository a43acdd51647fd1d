// SPDX-License-Identifier: Apache-2.0
// Writes one imported run into a history's tables, inside a transaction of the caller's. Its key
// there: another machine's run of the same id gets "ID@HOST", one of the same machine that lies in
// another folder and began in the same second "ID-2".
#pragma once

#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "harness/store/database.h"
#include "harness/track/import.h"
#include "harness/track/merged_cases.h"

namespace stepbench::track {

// `known`: ids of series that the caller's transaction has written, or one before it: they are not
// written again, and those of this run are added.
using KnownSeries = std::unordered_set<std::string>;
[[nodiscard]] ImportReport store_run(store::Database& database, const ImportedRun& run,
                                     std::span<const Cohort> cohorts, const MergedCases& merged,
                                     KnownSeries& known);

// Takes the points of a case over into the series of the one that it was merged into. One that has
// a value of the same run already keeps it.
void move_points(store::Database& database, const MergedCase& merged);

}  // namespace stepbench::track
