// SPDX-License-Identifier: Apache-2.0
// Which run `show` is to show.
#pragma once

#include <filesystem>
#include <iosfwd>

namespace stepbench::cli {

// A file or run directory as it is; for a directory that holds runs, the newest of them, which is
// then said on `err`. Throws ConfigError when there is nothing to show.
[[nodiscard]] std::filesystem::path choose_run(const std::filesystem::path& path,
                                               std::ostream& err);

}  // namespace stepbench::cli
