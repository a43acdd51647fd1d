// SPDX-License-Identifier: Apache-2.0
// A run of result files as the history knows it: the facts of its header rows. Pure; any thread.
#pragma once

#include <filesystem>
#include <string>

#include "harness/record/reader.h"
#include "harness/track/history.h"

namespace stepbench::track {

// Of the rows with this id: the files of one run are one run, which began with the first of them.
[[nodiscard]] TrackedRun tracked_run(const record::Results& results, const std::string& run_id,
                                     const std::filesystem::path& folder);

// Parts of one plan on several machines, which may share the id of the run.
[[nodiscard]] bool is_shard(const record::Results& results, const std::string& run_id);

}  // namespace stepbench::track
