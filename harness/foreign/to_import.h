// SPDX-License-Identifier: Apache-2.0
// Measurements as runs, cases and launches. Numbers of the same time and commit are one night; of
// the same case in it they are its launches, in their order. Pure; any thread.
#pragma once

#include <filesystem>

#include "harness/foreign/foreign_options.h"
#include "harness/foreign/measurement.h"
#include "harness/track/import.h"

namespace stepbench::foreign {

[[nodiscard]] track::Import to_import(const Measurements& read, const std::filesystem::path& file,
                                      const ForeignOptions& options);

}  // namespace stepbench::foreign
