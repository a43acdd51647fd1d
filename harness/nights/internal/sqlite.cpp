// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/sqlite.h"

#include <sqlite3.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "harness/base/format.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::nights {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxRowBytes = 64 << 20;  // a column of the file may be computed and endless

// f_type of statfs(), as Linux has it.
constexpr std::array<std::pair<std::int64_t, std::string_view>, 11> kShared = {{
    {0x6969, "NFS"},
    {0xFF534D42, "CIFS"},
    {0xFE534D42, "SMB"},
    {0x517B, "SMB"},
    {0x65735546, "FUSE"},
    {0x00C36400, "Ceph"},
    {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x5346414F, "AFS"},
    {0x6B414653, "AFS"},
    {0x19830326, "BeeGFS"},
}};

std::int64_t file_system_of(const fs::path& folder) {
  struct statfs facts {};
  return ::statfs(folder.c_str(), &facts) == 0 ? static_cast<std::int64_t>(facts.f_type) : 0;
}

void refuse_shared(const fs::path& file, std::int64_t file_system) {
  for (const auto& [type, name] : kShared) {
    // f_type is a signed 32-bit number on some machines.
    if ((file_system & 0xFFFFFFFF) != type) continue;
    throw ConfigError(
        file.string(),
        formatted("lies on {}, where the locks of SQLite do not work between machines and the "
                  "database would be damaged; put it on a local disk (--db sqlite:FILE), or let "
                  "the machines share a server (--db postgresql://...)",
                  name));
  }
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

bool may_not_be_written(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error) &&
         (::access(file.c_str(), W_OK) != 0 || ::access(folder_of(file).c_str(), W_OK) != 0);
}

// SQLite creates its log files even for reading; this avoids it where nobody can be writing.
std::string read_only_uri(const fs::path& file) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : file.string()) {
    if (c == '%' || c == '?' || c == '#') {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    } else {
      uri += c;
    }
  }
  std::error_code error;
  const auto log = fs::file_size(file.string() + "-wal", error);
  return uri + (error || log == 0 ? "?immutable=1" : "?mode=ro");
}

struct CloseConnection {
  void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, Finalize>;

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

class Sqlite : public Database {
 public:
  Sqlite(fs::path file, const SqliteOptions& options)
      : file_(std::move(file)), timeout_(options.busy_timeout), run_schema_(options.run_schema) {
    std::error_code error;
    fs::create_directories(folder_of(file_), error);
    if (error) throw ConfigError(file_.string(), "cannot be made: " + error.message());
    const auto& look = options.file_system ? options.file_system : file_system_of;
    // SQLite follows links and writes its log next to the target.
    refuse_shared(file_, look(folder_of(fs::weakly_canonical(file_, error))));
    if (fs::exists(file_, error) && !fs::is_regular_file(file_, error)) {
      throw ConfigError(file_.string(), "is not a file, so it cannot be a database");
    }
    open();
  }
  ~Sqlite() override { statements_.clear(); }

  void exec(std::string_view sql, SqlRow args, const OnRow& on_row) override {
    exec(prepared(sql), sql, args, on_row);
  }

  void insert(const SqlInsert& into, SqlRow values) override {
    const std::size_t width = into.columns.size();
    std::string sql =
        formatted("INSERT INTO {} ({}) VALUES (", into.table, text::join(into.columns));
    for (std::size_t i = 1; i <= width; ++i) sql += (i > 1 ? ", $" : "$") + std::to_string(i);
    sql += ") " + into.ending;
    sqlite3_stmt* statement = prepared(sql);
    for (std::size_t at = 0; at + width <= values.size(); at += width) {
      exec(statement, sql, values.subspan(at, width), {});
    }
  }

  void begin_write() override { exec("BEGIN IMMEDIATE", {}, {}); }
  void begin_read() override { exec("BEGIN", {}, {}); }
  void commit() override { exec("COMMIT", {}, {}); }
  void rollback() noexcept override {
    // After a full disk, SQLite has already rolled back.
    if (sqlite3_get_autocommit(connection_.get()) == 0) {
      sqlite3_exec(connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
  }
  void lock_schema() override {}  // begin_write() already excludes others
  void reconnect() override {
    statements_.clear();
    open();
  }

  std::vector<std::string> tables() override {
    std::vector<std::string> names;
    exec("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", {},
         [&](SqlRow row) { names.push_back(std::get<std::string>(row[0])); });
    return names;
  }
  std::string_view keyed_table() const override { return "WITHOUT ROWID"; }
  std::string json_member(std::string_view column, std::string_view member) const override {
    return formatted("CAST(({} ->> '{}') AS TEXT)", column, member);
  }
  void make_backup(const std::string& ending) override {
    const std::string copy = file_.string() + ending;
    std::error_code error;
    if (fs::exists(copy, error)) return;
    const SqlValue name = copy;
    try {
      exec("VACUUM INTO $1", {&name, 1}, {});
    } catch (const ConfigError&) {
      if (!fs::exists(copy, error)) throw;  // not copied by another process either
    }
  }
  std::string name() const override { return file_.string(); }

 private:
  void open() {
    connection_.reset();
    sqlite3* opened = nullptr;
    const bool read_only = may_not_be_written(file_);
    const int access = read_only ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
                                 : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const std::string name = read_only ? read_only_uri(file_) : file_.string();
    const int result =
        sqlite3_open_v2(name.c_str(), &opened, access | SQLITE_OPEN_NOMUTEX, nullptr);
    connection_.reset(opened);
    if (result != SQLITE_OK) fail(result);
    sqlite3_extended_result_codes(connection_.get(), 1);
    sqlite3_limit(connection_.get(), SQLITE_LIMIT_LENGTH, kMaxRowBytes);
    if (!run_schema_) distrust_schema();
    if (!read_only) use_write_ahead_log();
    sqlite3_busy_timeout(connection_.get(), static_cast<int>(timeout_.count()));
    exec("PRAGMA foreign_keys = ON", {}, {});
    exec("PRAGMA synchronous = NORMAL", {}, {});
  }

  // The file may come from anyone: a view in place of a table could return endless rows, a trigger
  // could change stored values. Our own views are only for people.
  void distrust_schema() {
    sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  }

  // Leaves a foreign database unchanged; its reader rejects it later. SQLite does not wait while
  // two processes switch a new file to the log, so this retries until the deadline.
  void use_write_ahead_log() {
    constexpr auto kPause = std::chrono::milliseconds(10);
    const auto deadline = std::chrono::steady_clock::now() + timeout_;
    for (;;) {
      bool ours = true;
      int result = sqlite3_exec(
          connection_.get(),
          "SELECT COUNT(*) > 0 AND SUM(name = 'meta') = 0 FROM sqlite_master WHERE type = 'table'",
          [](void* result_flag, int, char** values, char**) {
            *static_cast<bool*>(result_flag) = values[0] == nullptr || values[0][0] != '1';
            return 0;
          },
          &ours, nullptr);
      if (result == SQLITE_OK && !ours) return;
      if (result == SQLITE_OK) {
        result =
            sqlite3_exec(connection_.get(), "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
      }
      if (result == SQLITE_OK) return;
      if ((result & 0xFF) != SQLITE_BUSY || std::chrono::steady_clock::now() >= deadline) {
        fail(result);
      };
      std::this_thread::sleep_for(kPause);
    }
  }

  sqlite3_stmt* prepared(std::string_view sql) {
    if (const auto found = statements_.find(sql); found != statements_.end()) {
      return found->second.get();
    }
    // SQLite treats $2 as a name, ?2 as the second value.
    std::string numbered(sql);
    std::replace(numbered.begin(), numbered.end(), '$', '?');
    sqlite3_stmt* statement = nullptr;
    const int result =
        sqlite3_prepare_v3(connection_.get(), numbered.data(), static_cast<int>(numbered.size()),
                           SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    StatementHandle owner(statement);
    if (result != SQLITE_OK) fail(result);
    return statements_.emplace(sql, std::move(owner)).first->second.get();
  }

  void exec(sqlite3_stmt* statement, std::string_view sql, SqlRow args, const OnRow& on_row) {
    for (std::size_t i = 0; i < args.size(); ++i) bind(statement, static_cast<int>(i + 1), args[i]);
    run(statement, sql, on_row);
  }

  void bind(sqlite3_stmt* statement, int index, const SqlValue& value) {
    int result = SQLITE_OK;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      result = sqlite3_bind_int64(statement, index, *whole);
    } else if (const auto* real = std::get_if<double>(&value)) {
      result = std::isfinite(*real) ? sqlite3_bind_double(statement, index, *real)
                                    : sqlite3_bind_null(statement, index);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      result = bind_text(statement, index, *text);
    } else {
      result = sqlite3_bind_null(statement, index);
    }
    if (result != SQLITE_OK) fail(result);
  }

  // Avoids a copy: the caller's text outlives the execution, and most text is storable as it is.
  static int bind_text(sqlite3_stmt* statement, int index, const std::string& text) {
    if (is_storable(text)) {
      return sqlite3_bind_text64(statement, index, text.data(), text.size(), SQLITE_STATIC,
                                 SQLITE_UTF8);
    }
    const std::string clean = storable_text(text);
    return sqlite3_bind_text64(statement, index, clean.data(), clean.size(), SQLITE_TRANSIENT,
                               SQLITE_UTF8);
  }

  void run(sqlite3_stmt* statement, std::string_view sql, const OnRow& on_row) {
    struct Reset {
      sqlite3_stmt* statement;
      ~Reset() {
        sqlite3_reset(statement);
        sqlite3_clear_bindings(statement);
      }
    } const reset{statement};
    // A nested statement needs its own row buffer.
    std::vector<SqlValue> row = std::exchange(spare_row_, {});
    for (;;) {
      const int result = sqlite3_step(statement);
      if (result == SQLITE_DONE) break;
      if (result != SQLITE_ROW) fail(result);
      if (!on_row) continue;
      row.resize(static_cast<std::size_t>(sqlite3_column_count(statement)));
      bool all_ours = true;
      for (std::size_t i = 0; i < row.size(); ++i) {
        all_ours = read(statement, static_cast<int>(i), row[i]) && all_ours;
      }
      if (!all_ours) refuse_row(*this, sql, row, "bytes that are not text");
      pass_row(*this, sql, row, on_row);
    }
    spare_row_ = std::move(row);
  }

  // Returns false for blobs, which we never store, after reading them as text.
  static bool read(sqlite3_stmt* statement, int column, SqlValue& value) {
    const int type = sqlite3_column_type(statement, column);
    switch (type) {
      case SQLITE_INTEGER:
        value = static_cast<std::int64_t>(sqlite3_column_int64(statement, column));
        return true;
      case SQLITE_FLOAT:
        value = sqlite3_column_double(statement, column);
        return true;
      case SQLITE_NULL:
        value = std::monostate{};
        return true;
      default:
        break;
    }
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    if (auto* text = std::get_if<std::string>(&value)) {
      text->assign(bytes, size);
    } else {
      value.emplace<std::string>(bytes, size);
    }
    return type == SQLITE_TEXT;
  }

  [[noreturn]] void fail(int result) const {
    const std::string where = file_.string();
    switch (result & 0xFF) {
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        throw ConfigError(
            where,
            formatted(
                "another process has kept it locked for {}; try again when that one has ended",
                text::seconds_text(static_cast<double>(timeout_.count()) / 1e3)));
      case SQLITE_FULL:
        throw ConfigError(where, "the disk is full; nothing of this was stored");
      case SQLITE_IOERR:
        throw ConfigError(where,
                          formatted("cannot be read or written ({}): is the disk full, or a limit "
                                    "on the size of files set? Nothing of this was stored",
                                    message()));
      case SQLITE_NOTADB:
        throw ConfigError(where, "is not a SQLite database");
      case SQLITE_CORRUPT:
        throw ConfigError(
            where,
            formatted(
                "is damaged ({}); move it away and add the results anew with `stepbench track add`",
                message()));
      case SQLITE_CANTOPEN:
        throw ConfigError(where, "cannot be opened as a database: " + message());
      case SQLITE_READONLY:
      case SQLITE_PERM:
        throw ConfigError(where, "may not be written");
      default:
        throw ConfigError(where, message());
    }
  }
  std::string message() const { return sqlite3_errmsg(connection_.get()); }

  fs::path file_;
  std::chrono::milliseconds timeout_;
  bool run_schema_;
  std::unique_ptr<sqlite3, CloseConnection> connection_;
  std::unordered_map<std::string, StatementHandle, TextHash, std::equal_to<>> statements_;
  std::vector<SqlValue> spare_row_;
};

}  // namespace

std::unique_ptr<Database> open_sqlite(const fs::path& file, const SqliteOptions& options) {
  return std::make_unique<Sqlite>(file, options);
}

}  // namespace stepbench::nights
