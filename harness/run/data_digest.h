// SPDX-License-Identifier: Apache-2.0
// Digest of file names and sizes, to compare the data of two runs. Reads the file system.
#pragma once

#include <filesystem>
#include <string>

#include "harness/catalogue/catalogue.h"
#include "harness/plan/plan.h"

namespace stepbench::run {

// Digest of names and sizes of all files below `path`, or of the single file, independent of its
// location. Empty if there is none.
[[nodiscard]] std::string path_digest(const std::filesystem::path& path);

// Digest of all paths named by the plan's path options; empty if none exists.
[[nodiscard]] std::string data_digest(const plan::Plan& plan, const Catalogue& catalogue);

}  // namespace stepbench::run
