// SPDX-License-Identifier: Apache-2.0
// Runs on disk, and which one `show` is to show.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace stepbench::cli {

// The folders of runs in this one, the oldest first; none where it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> runs_in(const std::filesystem::path& directory);

// A file or run directory as it is; for a directory that holds runs, the newest of them, which is
// then said on `err`. Throws ConfigError when there is nothing to show.
[[nodiscard]] std::filesystem::path choose_run(const std::filesystem::path& path,
                                               std::ostream& err);

// A line that says where the run's Chrome traces lie and what opens them; empty where it has none.
[[nodiscard]] std::string traces_text(const std::filesystem::path& run);

}  // namespace stepbench::cli
