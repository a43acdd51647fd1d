// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's client library, libpq, loaded at run time: its functions as pointers, so that
// nothing links it and machines without it can measure. The types are libpq's; a test checks them
// against its header. Any thread.
#pragma once

#include <string>
#include <variant>

namespace stepbench::store {

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

}  // namespace stepbench::store
