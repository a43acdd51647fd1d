// SPDX-License-Identifier: Apache-2.0
// The stored size of a data set.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "harness/base/resolved_case.h"
#include "workloads/data/dataset.h"

namespace stepbench::data {

struct StoredSize {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  std::int64_t samples = 0;  // 0: unknown
  // Bytes per sample, from at most a thousand samples; nullopt if samples do not have one file
  // each.
  std::optional<double> record_bytes = {};
  std::optional<double> record_bytes_sd = {};
};

// `path`, or all regular files below it if it is a folder.
[[nodiscard]] std::vector<std::filesystem::path> files_below(const std::filesystem::path& path);

// nullopt if the data is not in files, or is read by user code. With one file per sample, `bytes`
// is extrapolated from the files examined. Takes milliseconds.
[[nodiscard]] std::optional<StoredSize> stored_size(const ResolvedCase& resolved,
                                                    const Dataset& dataset);

}  // namespace stepbench::data
