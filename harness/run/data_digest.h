// SPDX-License-Identifier: Apache-2.0
// Whether two runs read the same data: a digest of names and sizes. Reads the file system.
#pragma once

#include <filesystem>
#include <string>

#include "harness/catalogue/catalogue.h"
#include "harness/plan/plan.h"

namespace stepbench::run {

// Names and sizes of all files below `path`, or of the one file; not where it lies. Empty when
// there is none.
[[nodiscard]] std::string path_digest(const std::filesystem::path& path);

// Of everything that the plan's path options name; empty when they name nothing that exists.
[[nodiscard]] std::string data_digest(const plan::Plan& plan, const Catalogue& catalogue);

}  // namespace stepbench::run
