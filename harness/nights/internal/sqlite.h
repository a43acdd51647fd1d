// SPDX-License-Identifier: Apache-2.0
// A database in one file, for the processes of one machine. Uses a write-ahead log, so that readers
// and a writer do not block each other.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

#include "harness/nights/internal/database.h"

namespace stepbench::nights {

struct SqliteOptions {
  std::chrono::milliseconds busy_timeout = std::chrono::seconds(30);
  // Runs views and triggers of the file. Never for a history, which may come from anyone.
  bool run_schema = false;
  // f_type of statfs() for a folder; replaced in tests.
  std::function<std::int64_t(const std::filesystem::path& folder)> file_system = {};
};

// Creates the file and its folder if missing. Throws ConfigError on a network file system: its
// locks do not work there, and the file would be damaged.
[[nodiscard]] std::unique_ptr<Database> open_sqlite(const std::filesystem::path& file,
                                                    const SqliteOptions& options = {});

}  // namespace stepbench::nights
