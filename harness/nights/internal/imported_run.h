// SPDX-License-Identifier: Apache-2.0
// A run for the history: the facts of its header rows, and the environment of its launches, by what
// a change of it means for a series. Pure; any thread.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/value.h"
#include "harness/nights/history.h"
#include "harness/record/result_file.h"
#include "harness/record/rows.h"

namespace stepbench::nights {

// From all rows with this id: the files of one run are merged, and it began with the first of them.
[[nodiscard]] TrackedRun tracked_run(const record::Results& results, const std::string& run_id,
                                     const std::filesystem::path& folder);

// Parts of one plan on several machines, which may share the run id.
[[nodiscard]] bool is_shard(const record::Results& results, const std::string& run_id);

struct EnvironmentKey {
  Fields machine = {};  // a change makes another series
  Fields cohort = {};   // a change begins a new segment of the series
};

// Built from the worker's environment, classified by class_of() of harness/verdict, and from the
// options in force. Excludes values that are measured every night. Versions of kernels and
// distributions count by their first two numbers, paths by their last component.
[[nodiscard]] EnvironmentKey environment_key_of(const record::LaunchRow& launch,
                                                const Fields& environment);

}  // namespace stepbench::nights
