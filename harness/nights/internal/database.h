// SPDX-License-Identifier: Apache-2.0
// One connection to a database, with the same interface for SQLite and PostgreSQL. Statements must
// be valid in both: parameters are $1, $2, ..., ids are compared with =, times are computed by the
// caller. One thread; several connections and processes may use the same database.
//
//   auto database = Database::open("sqlite:results/history.db");
//   Transaction transaction(*database);
//   database->exec("INSERT INTO build VALUES ($1, $2)", {{id, path}});
//   transaction.commit();
//
// Throws ConfigError for problems that the user can fix (an unsuitable file system, a full disk, a
// lock held by another process, an unreachable server), and ConnectionLost if a retry may help.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/base/error.h"

namespace stepbench::nights {

// monostate = NULL. Non-finite numbers are stored as NULL; text as valid UTF-8 without NUL bytes.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;
using SqlRow = std::span<const SqlValue>;

// The server or the connection was lost, with all uncommitted changes.
class ConnectionLost : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

// A row with a value that its reader cannot use. Its message describes the problem.
class DamagedRow : public ConfigError {
 public:
  explicit DamagedRow(const std::string& why)
      : ConfigError("the history", "has a row that stepbench did not write: " + why), why_(why) {}
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  std::string why_;
};

struct SqlInsert {
  std::string table = {};
  std::vector<std::string> columns = {};
  std::string ending = {};  // "ON CONFLICT DO NOTHING"
};

class Database {
 public:
  using OnRow = std::function<void(SqlRow)>;

  Database() = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  virtual ~Database() = default;

  // Executes one statement. A row's values are valid until the next row.
  virtual void exec(std::string_view sql, SqlRow args = {}, const OnRow& on_row = {}) = 0;
  // `values`: row by row, one per column. If `ending` updates, the rows of one call must have
  // different keys.
  virtual void insert(const SqlInsert& into, SqlRow values) = 0;

  // Begins a write transaction; waits while another one is active.
  virtual void begin_write() = 0;
  // Begins a consistent snapshot over several statements.
  virtual void begin_read() = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;
  // Call inside begin_write(): excludes others until the end of the transaction.
  virtual void lock_schema() = 0;

  virtual void reconnect() = 0;
  // Tables visible to this connection, sorted by name.
  [[nodiscard]] virtual std::vector<std::string> tables() = 0;
  // Text after the closing bracket of CREATE TABLE, for tables whose key is most of a row.
  [[nodiscard]] virtual std::string_view keyed_table() const = 0;
  // SQL for a member of the JSON object in a text column, as text; NULL if absent.
  [[nodiscard]] virtual std::string json_member(std::string_view column,
                                                std::string_view member) const = 0;
  // Copies a database file, unless the copy exists. No effect on a server, which has its own
  // backups.
  virtual void make_backup(const std::string& ending) = 0;
  // For display: without a password.
  [[nodiscard]] virtual std::string name() const = 0;

  // "sqlite:FILE", created if missing, or "postgresql://...".
  [[nodiscard]] static std::unique_ptr<Database> open(std::string_view url);
};

// The file of "sqlite:FILE"; nullopt for a server. Throws ConfigError naming the two forms for
// anything else.
[[nodiscard]] std::optional<std::filesystem::path> sqlite_file(std::string_view url);

// Passes a row to its reader. Throws ConfigError naming the table of `sql` and the row if a value
// has the wrong type, or the reader throws DamagedRow: only other programs write such rows.
void pass_row(const Database& database, std::string_view sql, SqlRow row,
              const Database::OnRow& on_row);

[[noreturn]] void refuse_row(const Database& database, std::string_view sql, SqlRow row,
                             std::string_view why);

// For people and logs: "postgresql://user:secret@host/name" -> "postgresql://user@host/name",
// without the part after '?', which may contain a password too. File URLs are unchanged.
[[nodiscard]] std::string without_password(std::string_view url);

// The form in which a database stores a text: valid UTF-8, U+FFFD for NUL.
[[nodiscard]] std::string storable_text(std::string_view text);
// True if the text is already in that form.
[[nodiscard]] bool is_storable(std::string_view text);

// A transaction that rolls back unless committed. The database must outlive it; one thread.
class Transaction {
 public:
  enum class Kind : bool { kWrite, kRead };

  explicit Transaction(Database& database, Kind kind = Kind::kWrite) : database_(database) {
    kind == Kind::kWrite ? database_.begin_write() : database_.begin_read();
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (open_) database_.rollback();
  }

  void commit() {
    database_.commit();
    open_ = false;
  }

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace stepbench::nights
