// SPDX-License-Identifier: Apache-2.0
// A database on a PostgreSQL server, for histories that many machines share. libpq, the client
// library, is loaded when the first one is opened: nothing links it, and machines without it can
// measure.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "harness/nights/internal/database.h"

namespace stepbench::nights {

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

// The functions of libpq as pointers. The types are libpq's; a test checks them against its header.
// Any thread.

struct PqConnection;  // PGconn
struct PqResult;      // PGresult

struct PqApi {
  PqConnection* (*connect)(const char* conninfo) = nullptr;
  void (*finish)(PqConnection*) = nullptr;
  int (*status)(const PqConnection*) = nullptr;
  char* (*error_message)(const PqConnection*) = nullptr;
  int (*set_nonblocking)(PqConnection*, int on) = nullptr;
  int (*socket)(const PqConnection*) = nullptr;
  int (*send_query)(PqConnection*, const char* sql) = nullptr;
  int (*send_prepare)(PqConnection*, const char* name, const char* sql, int count,
                      const unsigned int* types) = nullptr;
  int (*send_prepared)(PqConnection*, const char* name, int count, const char* const* values,
                       const int* lengths, const int* formats, int result_format) = nullptr;
  int (*flush)(PqConnection*) = nullptr;
  int (*consume_input)(PqConnection*) = nullptr;
  int (*is_busy)(PqConnection*) = nullptr;
  PqResult* (*get_result)(PqConnection*) = nullptr;
  int (*result_status)(const PqResult*) = nullptr;
  char* (*result_error_field)(const PqResult*, int field) = nullptr;
  void (*clear)(PqResult*) = nullptr;
  int (*rows)(const PqResult*) = nullptr;
  int (*columns)(const PqResult*) = nullptr;
  unsigned int (*type)(const PqResult*, int column) = nullptr;
  char* (*value)(const PqResult*, int row, int column) = nullptr;
  int (*length)(const PqResult*, int row, int column) = nullptr;
  int (*is_null)(const PqResult*, int row, int column) = nullptr;
};

// From libpq-fe.h.
inline constexpr int kPqConnected = 0;    // CONNECTION_OK
inline constexpr int kPqCommandDone = 1;  // PGRES_COMMAND_OK
inline constexpr int kPqHasRows = 2;      // PGRES_TUPLES_OK
inline constexpr int kPqSqlState = 'C';   // PG_DIAG_SQLSTATE

// Returns the reason if unavailable, as a sentence with the package name. `library`: its file,
// replaceable in tests.
[[nodiscard]] std::variant<PqApi, std::string> load_pq_api(const char* library = "libpq.so.5");

}  // namespace stepbench::nights
