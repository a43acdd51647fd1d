// SPDX-License-Identifier: Apache-2.0
// A run of result files in the history's form: the facts of its header rows. Pure; any thread.
#pragma once

#include <filesystem>
#include <string>

#include "harness/record/reader.h"
#include "harness/track/history.h"

namespace stepbench::track {

// From all rows with this id: the files of one run are merged, and it began with the first of them.
[[nodiscard]] TrackedRun tracked_run(const record::Results& results, const std::string& run_id,
                                     const std::filesystem::path& folder);

// Parts of one plan on several machines, which may share the run id.
[[nodiscard]] bool is_shard(const record::Results& results, const std::string& run_id);

}  // namespace stepbench::track
