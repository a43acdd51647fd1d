// SPDX-License-Identifier: Apache-2.0
// Restores a run's request from its folder, for `stepbench run --resume DIR` without the file.
#pragma once

#include <filesystem>
#include <string>

#include "harness/campaign/run_request.h"
#include "harness/record/rows.h"

namespace stepbench::campaign {

// The recorded form. `set` is what the plan is made with, including --launches and --profile.
[[nodiscard]] record::CommandLine asked_for(const RunRequest& request,
                                            std::vector<std::string> set);

struct RecordedRequest {
  RunRequest request;
  std::filesystem::path folder;  // base of the experiment's relative paths
};

// Returns the request of the run in `given.resume`. Values in `given` override it; its --set is
// appended. Throws ConfigError if the folder does not contain the request.
[[nodiscard]] RecordedRequest recorded_request(const RunRequest& given);

// Returns a file from which the experiment can be read again: `file`, or, for standard input, a
// copy in the run's folder, which is written if missing.
[[nodiscard]] std::string readable_again(const std::string& file, const std::string& config_text,
                                         const std::filesystem::path& run_folder);

}  // namespace stepbench::campaign
