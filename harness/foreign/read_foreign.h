// SPDX-License-Identifier: Apache-2.0
// Results of other programs as runs of a history. Idempotent: the same file gives the same runs,
// and one to which lines were added gives those and more. One thread. Throws ConfigError with the
// line for what cannot be read.
#pragma once

#include <filesystem>

#include "harness/foreign/foreign_options.h"
#include "harness/track/import.h"

namespace stepbench::foreign {

// False: result files of stepbench, and what lies in folders.
[[nodiscard]] bool is_foreign(const std::filesystem::path& file);

[[nodiscard]] track::Import read_foreign(const std::filesystem::path& file,
                                         const ForeignOptions& options);

}  // namespace stepbench::foreign
