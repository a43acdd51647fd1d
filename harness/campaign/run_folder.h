// SPDX-License-Identifier: Apache-2.0
// The folder that holds the result files of one run, and one for results that are not kept.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/record/reader.h"

namespace stepbench::campaign {

// Copy of the experiment in the folder of a run that read it from standard input.
inline constexpr const char* kExperimentCopy = "experiment.yaml";

// Written by `ab` at the end, even if nothing could be measured.
inline constexpr const char* kVerdictFile = "verdict.json";

// Creates `results`/`run_id`, with a number appended if that exists. Throws ConfigError.
[[nodiscard]] std::filesystem::path make_run_folder(const std::filesystem::path& results,
                                                    const std::string& run_id);

// Returns all folders in `results`, newest run first: run names begin with the date. Empty if it
// cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> folders_newest_first(
    const std::filesystem::path& results);

[[nodiscard]] std::string run_id_of(const std::filesystem::path& run_folder);

// Throws ConfigError if the --resume folder does not exist. Empty `folder`: no resume.
void check_resume_folder(const std::string& folder);

// Returns the results of the run in `folder` so far; empty for an empty name, and for a run that
// was killed before it completed the first line of its file.
[[nodiscard]] record::Results earlier_results(const std::string& folder);

// Removed with its content on destruction.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& prefix);  // in the folder for temporary files
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace stepbench::campaign
