// SPDX-License-Identifier: Apache-2.0
// The folder that holds the result files of one run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/record/reader.h"

namespace stepbench::campaign {

// In the folder of a run that was read from standard input: what was read.
inline constexpr const char* kExperimentCopy = "experiment.yaml";

// What `ab` says there in the end, even where nothing could be measured.
inline constexpr const char* kVerdictFile = "verdict.json";

// `results`/`run_id`, with a number when that is taken. Throws ConfigError.
[[nodiscard]] std::filesystem::path make_run_folder(const std::filesystem::path& results,
                                                    const std::string& run_id);

// All folders in `results`, the newest run first: names of runs begin with the date. Empty where it
// cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> folders_newest_first(
    const std::filesystem::path& results);

// The run's id by its folder's name.
[[nodiscard]] std::string run_id_of(const std::filesystem::path& run_folder);

// Throws ConfigError when `folder` is given with --resume and is none. Empty: nothing to go on
// with.
void check_resume_folder(const std::string& folder);

// What the run in `folder` measured so far; nothing for an empty name, and for a run that was
// killed before the first line of its file was whole.
[[nodiscard]] record::Results earlier_results(const std::string& folder);

}  // namespace stepbench::campaign
