// SPDX-License-Identifier: Apache-2.0
// Finds the run on disk that `show` reads, and reads other inputs whole.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "harness/record/result_file.h"

namespace stepbench::cli {

// Folders of runs in `directory`, oldest first; empty if it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> runs_in(const std::filesystem::path& directory);

// Returns a file or run folder unchanged; for a folder of runs, the newest of them, which is
// reported on `err`. Throws ConfigError if there is nothing to show.
[[nodiscard]] std::filesystem::path choose_run(const std::filesystem::path& path,
                                               std::ostream& err);

// One line with the path of the run's Chrome traces and the program to open them; empty if there
// are none.
[[nodiscard]] std::string traces_text(const std::filesystem::path& run);

[[nodiscard]] bool has_measured(const record::Results& results);
void print_warnings(const record::Results& results, std::ostream& err);

}  // namespace stepbench::cli
