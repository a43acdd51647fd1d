// SPDX-License-Identifier: Apache-2.0
// The functions of libpq that are found at run time, compared with its header.
#include "harness/nights/internal/postgres.h"

#include <libpq-fe.h>

#include <type_traits>

#include "tests/testing.h"

namespace stepbench::nights {
namespace {

// Handles have our own type names; everything else must be the same.
template <typename T>
struct Plain {
  using type = T;
};
template <>
struct Plain<PqConnection*> {
  using type = PGconn*;
};
template <>
struct Plain<const PqConnection*> {
  using type = const PGconn*;
};
template <>
struct Plain<PqResult*> {
  using type = PGresult*;
};
template <>
struct Plain<const PqResult*> {
  using type = const PGresult*;
};

template <typename Function>
struct AsLibpq;
template <typename Result, typename... Arguments>
struct AsLibpq<Result (*)(Arguments...)> {
  using type = typename Plain<Result>::type (*)(typename Plain<Arguments>::type...);
};

// An enumeration is passed as an int.
template <typename Ours, typename Theirs>
struct SameFunction : std::is_same<typename AsLibpq<Ours>::type, Theirs> {};
template <typename... Arguments, typename Theirs>
struct SameFunction<int (*)(Arguments...), Theirs>
    : std::bool_constant<std::is_invocable_v<Theirs, typename Plain<Arguments>::type...> &&
                         sizeof(std::invoke_result_t<Theirs, typename Plain<Arguments>::type...>) ==
                             sizeof(int)> {};

#define STEPBENCH_SAME(member, function) \
  static_assert(SameFunction<decltype(PqApi::member), decltype(&function)>::value)
STEPBENCH_SAME(connect, PQconnectdb);
STEPBENCH_SAME(finish, PQfinish);
STEPBENCH_SAME(status, PQstatus);
STEPBENCH_SAME(error_message, PQerrorMessage);
STEPBENCH_SAME(set_nonblocking, PQsetnonblocking);
STEPBENCH_SAME(socket, PQsocket);
STEPBENCH_SAME(send_query, PQsendQuery);
STEPBENCH_SAME(send_prepare, PQsendPrepare);
STEPBENCH_SAME(send_prepared, PQsendQueryPrepared);
STEPBENCH_SAME(flush, PQflush);
STEPBENCH_SAME(consume_input, PQconsumeInput);
STEPBENCH_SAME(is_busy, PQisBusy);
STEPBENCH_SAME(get_result, PQgetResult);
STEPBENCH_SAME(result_status, PQresultStatus);
STEPBENCH_SAME(result_error_field, PQresultErrorField);
STEPBENCH_SAME(clear, PQclear);
STEPBENCH_SAME(rows, PQntuples);
STEPBENCH_SAME(columns, PQnfields);
STEPBENCH_SAME(type, PQftype);
STEPBENCH_SAME(value, PQgetvalue);
STEPBENCH_SAME(length, PQgetlength);
STEPBENCH_SAME(is_null, PQgetisnull);
#undef STEPBENCH_SAME
static_assert(kPqConnected == CONNECTION_OK);
static_assert(kPqCommandDone == PGRES_COMMAND_OK);
static_assert(kPqHasRows == PGRES_TUPLES_OK);
static_assert(kPqSqlState == PG_DIAG_SQLSTATE);

TEST(PqApi, MissingLibrary_NamesItsPackage) {
  const auto found = load_pq_api("libpq-of-no-version.so.99");
  ASSERT_TRUE(std::holds_alternative<std::string>(found));
  EXPECT_THAT(std::get<std::string>(found), HasSubstr("apt install libpq5"));
}

TEST(PqApi, MissingFunctions_NameTheFirst) {
  const auto found = load_pq_api("libm.so.6");
  ASSERT_TRUE(std::holds_alternative<std::string>(found));
  EXPECT_THAT(std::get<std::string>(found), HasSubstr("has no PQconnectdb()"));
}

TEST(PqApi, InstalledLibrary_HasAllFunctions) {
  const auto found = load_pq_api();
  if (std::holds_alternative<std::string>(found)) GTEST_SKIP() << std::get<std::string>(found);
  EXPECT_NE(std::get<PqApi>(found).connect, nullptr);
}

}  // namespace
}  // namespace stepbench::nights
