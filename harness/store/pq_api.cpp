// SPDX-License-Identifier: Apache-2.0
#include "harness/store/pq_api.h"

#include <dlfcn.h>

#include <type_traits>

#include "harness/os/symbols.h"

namespace stepbench::store {

std::variant<PqApi, std::string> load_pq_api(const char* library) {
  void* loaded = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    return std::string(library) +
           ", the client library of PostgreSQL, is not installed: `apt install libpq5`, or use "
           "--db sqlite:FILE";
  }
  os::Symbols symbols(loaded);
  PqApi api;
  const auto fill = [&](auto& function, const char* name) {
    using Function = std::remove_pointer_t<std::remove_reference_t<decltype(function)>>;
    function = symbols.find<Function>(name);
  };
  fill(api.connect, "PQconnectdb");
  fill(api.finish, "PQfinish");
  fill(api.status, "PQstatus");
  fill(api.error_message, "PQerrorMessage");
  fill(api.set_nonblocking, "PQsetnonblocking");
  fill(api.socket, "PQsocket");
  fill(api.send_query, "PQsendQuery");
  fill(api.send_prepare, "PQsendPrepare");
  fill(api.send_prepared, "PQsendQueryPrepared");
  fill(api.flush, "PQflush");
  fill(api.consume_input, "PQconsumeInput");
  fill(api.is_busy, "PQisBusy");
  fill(api.get_result, "PQgetResult");
  fill(api.result_status, "PQresultStatus");
  fill(api.result_error_field, "PQresultErrorField");
  fill(api.clear, "PQclear");
  fill(api.rows, "PQntuples");
  fill(api.columns, "PQnfields");
  fill(api.type, "PQftype");
  fill(api.value, "PQgetvalue");
  fill(api.length, "PQgetlength");
  fill(api.is_null, "PQgetisnull");
  if (!symbols.missing().empty()) {
    return std::string(library) + " has no " + symbols.missing() +
           "(): `apt install libpq5` brings one that has";
  }
  return api;
}

}  // namespace stepbench::store
