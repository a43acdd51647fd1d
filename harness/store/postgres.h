// SPDX-License-Identifier: Apache-2.0
// A database on a PostgreSQL server, for histories shared by many machines. The client library
// libpq is loaded when the first one is opened.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "harness/store/database.h"

namespace stepbench::store {

// Timeouts for an unresponsive server or a lock held by another process.
inline constexpr int kConnectSeconds = 10;
inline constexpr int kLockSeconds = 30;
inline constexpr int kStatementSeconds = 300;

struct PostgresOptions {
  // Longer than kStatementSeconds, after which the server itself ends a statement; covers a stopped
  // server.
  std::chrono::milliseconds answer_limit = std::chrono::seconds(kStatementSeconds + 10);
};

// Adds a connection timeout, unless the user sets one.
[[nodiscard]] std::string with_connect_limit(std::string_view url);

// `url` as libpq accepts it: postgresql://USER@HOST:PORT/NAME. Throws ConfigError if libpq is not
// installed, or the server denies access or does not answer in time.
[[nodiscard]] std::unique_ptr<Database> open_postgres(std::string_view url,
                                                      const PostgresOptions& options = {});

}  // namespace stepbench::store
