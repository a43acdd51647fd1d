// SPDX-License-Identifier: Apache-2.0
// A database on a PostgreSQL server, for histories that many machines share. The client library
// libpq is looked for when the first one is opened.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "harness/store/database.h"

namespace stepbench::store {

// A server that accepts and stays silent, or a lock that somebody keeps, is waited for no longer.
inline constexpr int kConnectSeconds = 10;
inline constexpr int kLockSeconds = 30;
inline constexpr int kStatementSeconds = 300;

struct PostgresOptions {
  // The server itself ends a statement after kStatementSeconds; one that is stopped says nothing.
  std::chrono::milliseconds answer_limit = std::chrono::seconds(kStatementSeconds + 10);
};

// With a limit on the time that connecting takes, unless the user gives one.
[[nodiscard]] std::string with_connect_limit(std::string_view url);

// `url` as libpq takes it: postgresql://USER@HOST:PORT/NAME. Throws ConfigError when libpq is not
// installed, the server does not let us in, or gives no answer in time.
[[nodiscard]] std::unique_ptr<Database> open_postgres(std::string_view url,
                                                      const PostgresOptions& options = {});

}  // namespace stepbench::store
