// SPDX-License-Identifier: Apache-2.0
// Runs on disk, and which one `show` is to show.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <vector>

namespace stepbench::cli {

// The folders of runs in this one, the oldest first; none where it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> runs_in(const std::filesystem::path& directory);

// A file or run directory as it is; for a directory that holds runs, the newest of them, which is
// then said on `err`. Throws ConfigError when there is nothing to show.
[[nodiscard]] std::filesystem::path choose_run(const std::filesystem::path& path,
                                               std::ostream& err);

}  // namespace stepbench::cli
