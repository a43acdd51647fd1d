// SPDX-License-Identifier: Apache-2.0
// A database in one file, for the processes of one machine: a write-ahead log, so that readers and
// a writer do not wait for each other.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "harness/store/database.h"

namespace stepbench::store {

struct SqliteOptions {
  std::chrono::milliseconds busy_timeout = std::chrono::seconds(30);
  // Views and triggers that the file holds: of a history that may be anybody's, never.
  bool run_schema = false;
  // f_type of statfs() for a folder: tests give a made-up one.
  std::function<std::int64_t(const std::filesystem::path& folder)> file_system = {};
};

// Makes the file and its folder where they are not there. Throws ConfigError on a file system that
// several machines share: its locks do not hold there, and the file would be damaged.
[[nodiscard]] std::unique_ptr<Database> open_sqlite(const std::filesystem::path& file,
                                                    const SqliteOptions& options = {});

}  // namespace stepbench::store
