// SPDX-License-Identifier: Apache-2.0
// How large a data set is where it is stored.
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
  std::int64_t samples = 0;  // 0: not known
  // Of a sample, over a thousand of them at most; nullopt where samples have no files of their own.
  std::optional<double> record_bytes = {};
  std::optional<double> record_bytes_sd = {};
};

// `path`, or all regular files below it where it is a folder.
[[nodiscard]] std::vector<std::filesystem::path> files_below(const std::filesystem::path& path);

// nullopt where the data is no file, or its files are the business of somebody's code. Where each
// sample has a file, `bytes` is extrapolated from those that were looked at. Takes milliseconds.
[[nodiscard]] std::optional<StoredSize> stored_size(const ResolvedCase& resolved,
                                                    const Dataset& dataset);

}  // namespace stepbench::data
