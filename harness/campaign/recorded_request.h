// SPDX-License-Identifier: Apache-2.0
// What a run was asked for, as its folder tells it: `stepbench run --resume DIR` without the file.
#pragma once

#include <filesystem>
#include <string>

#include "harness/campaign/run_request.h"
#include "harness/record/rows.h"

namespace stepbench::campaign {

// As it is recorded with a run. `set` is what the plan is made with, --launches and --profile
// included.
[[nodiscard]] record::CommandLine asked_for(const RunRequest& request,
                                            std::vector<std::string> set);

struct RecordedRequest {
  RunRequest request;
  std::filesystem::path folder;  // from which the relative paths of the experiment are seen
};

// The request of the run in `given.resume`; what `given` says besides wins over it, or, of --set,
// comes behind it. Throws ConfigError when the folder does not tell it.
[[nodiscard]] RecordedRequest recorded_request(const RunRequest& given);

// A file from which the experiment can be read again: `file`, or, of standard input, a copy in the
// run's folder, which is written unless it is there.
[[nodiscard]] std::string readable_again(const std::string& file, const std::string& config_text,
                                         const std::filesystem::path& run_folder);

}  // namespace stepbench::campaign
