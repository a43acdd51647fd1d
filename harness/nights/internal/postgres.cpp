// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/postgres.h"

#include <dlfcn.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <map>
#include <type_traits>
#include <utility>

#include "harness/base/format.h"
#include "harness/os/symbols.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/secrets.h"
#include "harness/text/words.h"

namespace stepbench::nights {
namespace {

// Object ids of the built-in types.
constexpr unsigned int kInt8 = 20;
constexpr unsigned int kInt2 = 21;
constexpr unsigned int kInt4 = 23;
constexpr unsigned int kFloat4 = 700;
constexpr unsigned int kFloat8 = 701;

// Maximum parameters per statement; the protocol allows 65,535.
constexpr std::size_t kParameters = 8'000;
constexpr std::size_t kStatements = 200;
// Arbitrary, but the same in all stepbench programs.
constexpr const char* kTakeLock = "SELECT pg_advisory_xact_lock(7230413598216507217)";

// Returns the first line: libpq appends hints and a line end.
std::string first_sentence(const char* message) {
  const std::string_view text = message == nullptr ? "" : message;
  return text::printable(text.substr(0, text.find('\n')));
}

// libpq ends a password at these characters, takes the rest as a host name, and prints it.
void require_escaped_password(const std::string& url, const std::string& name) {
  const std::size_t user = url.find("://") + 3;
  const std::size_t colon = url.find(':', user);
  const std::size_t end = url.substr(0, url.find('?')).rfind('@');
  if (end == std::string::npos || colon >= end) return;
  const std::size_t bad = url.find_first_of("@/", colon);
  if (bad >= end) return;
  throw ConfigError(name, formatted("the password holds a '{}'; write it as {}", url[bad],
                                    url[bad] == '@' ? "%40" : "%2F"));
}

class Postgres : public Database {
 public:
  Postgres(PqApi api, std::string_view url, const PostgresOptions& options)
      : api_(api),
        url_(url),
        name_(text::printable(without_password(url))),
        answer_limit_(options.answer_limit) {
    require_escaped_password(url_, name_);
    open();
  }
  ~Postgres() override { close(); }

  void exec(std::string_view sql, SqlRow args, const OnRow& on_row) override {
    const std::string& name = prepared(sql);
    std::vector<std::string> texts(args.size());
    std::vector<const char*> values(args.size());
    for (std::size_t i = 0; i < args.size(); ++i) {
      values[i] = text_of_value(args[i], texts[i]) ? texts[i].c_str() : nullptr;
    }
    const Result result =
        answer(api_.send_prepared(connection_, name.c_str(), static_cast<int>(values.size()),
                                  values.data(), nullptr, nullptr, 0));
    check(result);
    if (on_row) pass_rows(result, sql, on_row);
  }

  void insert(const SqlInsert& into, SqlRow values) override {
    const std::size_t width = into.columns.size();
    const std::size_t rows_at_once = std::max<std::size_t>(1, kParameters / width);
    for (std::size_t at = 0; at < values.size();) {
      const std::size_t rows = std::min(rows_at_once, (values.size() - at) / width);
      std::string sql =
          formatted("INSERT INTO {} ({}) VALUES ", into.table, text::join(into.columns));
      for (std::size_t i = 0; i < rows * width; ++i) {
        sql += i % width == 0 ? (i == 0 ? "($" : "), ($") : ", $";
        sql += std::to_string(i + 1);
      }
      sql += ") " + into.ending;
      exec(sql, values.subspan(at, rows * width), {});
      at += rows * width;
    }
  }

  void begin_write() override { exec("BEGIN", {}, {}); }
  void begin_read() override {
    exec("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY", {}, {});
  }
  void commit() override { exec("COMMIT", {}, {}); }
  void rollback() noexcept override {
    if (connection_ == nullptr || api_.status(connection_) != kPqConnected) return;
    try {
      (void)query("ROLLBACK");
    } catch (const ConfigError&) {  // silent: the connection is already closed
    }
  }
  void lock_schema() override { exec(kTakeLock, {}, {}); }
  void reconnect() override { open(); }

  std::vector<std::string> tables() override {
    std::vector<std::string> names;
    exec(
        "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = current_schema() "
        "ORDER BY 1",
        {}, [&](SqlRow row) { names.push_back(std::get<std::string>(row[0])); });
    return names;
  }
  std::string_view keyed_table() const override { return ""; }
  void make_backup(const std::string&) override {}
  std::string json_member(std::string_view column, std::string_view member) const override {
    return formatted("(CAST({} AS JSON) ->> '{}')", column, member);
  }
  std::string name() const override { return name_; }

 private:
  using Result = std::unique_ptr<PqResult, void (*)(PqResult*)>;

  Result query(const char* sql) { return answer(api_.send_query(connection_, sql)); }

  // Returns the last result of what was sent; null if nothing could be sent.
  Result answer(int sent) {
    Result last(nullptr, api_.clear);
    const auto deadline = std::chrono::steady_clock::now() + answer_limit_;
    while (sent != 0) {
      wait_for_answer(deadline);
      PqResult* next = api_.get_result(connection_);
      if (next == nullptr) break;
      last.reset(next);
    }
    return last;
  }

  // Waits until get_result() does not block. Throws if the server does not answer.
  void wait_for_answer(std::chrono::steady_clock::time_point deadline) {
    for (;;) {
      const int unsent = api_.flush(connection_);
      if (unsent < 0 || (unsent == 0 && api_.is_busy(connection_) == 0)) return;
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) give_up();
      pollfd ready{api_.socket(connection_),
                   static_cast<short>(unsent == 0 ? POLLIN : POLLIN | POLLOUT), 0};
      const int any =
          ::poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
      if (any > 0 && (ready.revents & ~POLLOUT) != 0 && api_.consume_input(connection_) == 0)
        return;
    }
  }

  [[noreturn]] void give_up() {
    close();
    throw ConfigError(
        name_, formatted("the server has given no answer for {}: it is stopped, or cannot be "
                         "reached; try again when it is back",
                         text::seconds_text(std::chrono::duration<double>(answer_limit_).count())));
  }

  void close() {
    if (connection_ != nullptr) api_.finish(std::exchange(connection_, nullptr));
    statements_.clear();
  }

  void open() {
    close();
    connection_ = api_.connect(with_connect_limit(url_).c_str());
    if (connection_ == nullptr) throw ConfigError(name_, "too little memory to connect");
    if (api_.status(connection_) != kPqConnected) {
      const std::string reason = first_sentence(api_.error_message(connection_));
      close();
      throw ConfigError(name_, "no connection: " + text::mask_url_passwords(reason));
    }
    (void)api_.set_nonblocking(connection_, 1);
    const auto seconds = [](int limit) { return formatted(" = '{}s'", limit); };
    for (const std::string& setting :
         {std::string("client_min_messages = warning"), std::string("client_encoding = 'UTF8'"),
          "lock_timeout" + seconds(kLockSeconds),
          "statement_timeout" + seconds(kStatementSeconds)}) {
      (void)query(("SET " + setting).c_str());
    }
  }

  // Returns false for NULL.
  static bool text_of_value(const SqlValue& value, std::string& text) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      text = std::to_string(*whole);
    } else if (const auto* real = std::get_if<double>(&value)) {
      if (!std::isfinite(*real)) return false;
      std::array<char, 32> buffer;
      const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), *real);
      text.assign(buffer.data(), end);
    } else if (const auto* words = std::get_if<std::string>(&value)) {
      text = is_storable(*words) ? *words : storable_text(*words);
    } else {
      return false;
    }
    return true;
  }

  const std::string& prepared(std::string_view sql) {
    if (const auto found = statements_.find(sql); found != statements_.end()) return found->second;
    if (statements_.size() >= kStatements) {
      (void)query("DEALLOCATE ALL");
      statements_.clear();
    }
    std::string name = formatted("s{}", next_++);
    const std::string text(sql);
    const Result result =
        answer(api_.send_prepare(connection_, name.c_str(), text.c_str(), 0, nullptr));
    check(result);
    return statements_.emplace(text, std::move(name)).first->second;
  }

  void pass_rows(const Result& result, std::string_view sql, const OnRow& on_row) const {
    const int columns = api_.columns(result.get());
    std::vector<unsigned int> types;
    for (int column = 0; column < columns; ++column) {
      types.push_back(api_.type(result.get(), column));
    }
    std::vector<SqlValue> row(types.size());
    for (int at = 0, rows = api_.rows(result.get()); at < rows; ++at) {
      for (int column = 0; column < columns; ++column) {
        read(result, at, column, types[static_cast<std::size_t>(column)],
             row[static_cast<std::size_t>(column)]);
      }
      pass_row(*this, sql, row, on_row);
    }
  }

  void read(const Result& result, int at, int column, unsigned int type, SqlValue& value) const {
    if (api_.is_null(result.get(), at, column) != 0) {
      value = std::monostate{};
      return;
    }
    const std::string_view text(api_.value(result.get(), at, column),
                                static_cast<std::size_t>(api_.length(result.get(), at, column)));
    if (type == kInt8 || type == kInt4 || type == kInt2) {
      std::int64_t whole = 0;
      std::from_chars(text.data(), text.data() + text.size(), whole);
      value = whole;
    } else if (type == kFloat8 || type == kFloat4) {
      double real = 0;
      std::from_chars(text.data(), text.data() + text.size(), real);
      value = real;
    } else if (auto* words = std::get_if<std::string>(&value)) {
      words->assign(text);
    } else {
      value.emplace<std::string>(text);
    }
  }

  void check(const Result& result) const {
    const int status = result.get() == nullptr ? -1 : api_.result_status(result.get());
    if (status == kPqCommandDone || status == kPqHasRows) return;
    const std::string reason = first_sentence(api_.error_message(connection_));
    const char* state =
        result.get() == nullptr ? nullptr : api_.result_error_field(result.get(), kPqSqlState);
    // Class 57P: the server shut down or ended this session.
    const bool ended = state != nullptr && std::string_view(state).starts_with("57P");
    if (ended || api_.status(connection_) != kPqConnected) {
      throw ConnectionLost(name_, "the connection was lost: " + reason);
    }
    throw ConfigError(name_, reason);
  }

  PqApi api_;
  std::string url_;
  std::string name_;
  std::chrono::milliseconds answer_limit_;
  PqConnection* connection_ = nullptr;
  std::map<std::string, std::string, std::less<>> statements_;  // SQL -> name on the server
  std::size_t next_ = 0;
};

}  // namespace

std::string with_connect_limit(std::string_view url) {
  const std::string text(url);
  if (url.find("connect_timeout=") != std::string_view::npos) return text;
  return formatted("{}{}connect_timeout={}", text,
                   url.find('?') == std::string_view::npos ? '?' : '&', kConnectSeconds);
}

std::unique_ptr<Database> open_postgres(std::string_view url, const PostgresOptions& options) {
  auto loaded = load_pq_api();
  if (auto* reason = std::get_if<std::string>(&loaded)) throw ConfigError("--db", *reason);
  return std::make_unique<Postgres>(std::get<PqApi>(loaded), url, options);
}

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
    return formatted("{} has no {}(): `apt install libpq5` brings one that has", library,
                     symbols.missing());
  }
  return api;
}

}  // namespace stepbench::nights
