// SPDX-License-Identifier: Apache-2.0
// One connection to a database, the same to use for SQLite and PostgreSQL. Statements are written
// so that both take them: parameters are $1, $2, ..., ids are compared with =, times are made
// outside. One thread; several connections and processes may use the same database.
//
//   auto database = Database::open("sqlite:results/history.db");
//   Transaction transaction(*database);
//   database->exec("INSERT INTO build VALUES ($1, $2)", {{id, path}});
//   transaction.commit();
//
// Throws ConfigError for what the user can mend (a file system that cannot hold it, a full disk, a
// lock that somebody keeps, a server that is away), and ConnectionLost where trying again may help.
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

namespace stepbench::store {

// monostate = NULL. Numbers that are not finite are stored as NULL; text as valid UTF-8 without NUL
// bytes.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;
using SqlRow = std::span<const SqlValue>;

// The server went away, or the connection to it. What was not committed is gone.
class ConnectionLost : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

// Of a row whose reader cannot use a value: what is wrong with it.
class DamagedRow : public ConfigError {
 public:
  explicit DamagedRow(const std::string& why)
      : ConfigError("the history", "holds a row that is not ours: " + why), why_(why) {}
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  std::string why_;
};

// Many rows of one table.
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

  // One statement. The row's values live until the next one.
  virtual void exec(std::string_view sql, SqlRow args = {}, const OnRow& on_row = {}) = 0;
  // `values`: row by row, as many as there are columns. No two rows of one call have the same key
  // if `ending` updates.
  virtual void insert(const SqlInsert& into, SqlRow values) = 0;

  // Takes the right to write, and waits for it while another one has it.
  virtual void begin_write() = 0;
  // A view of one moment, over several statements.
  virtual void begin_read() = 0;
  virtual void commit() = 0;
  virtual void rollback() noexcept = 0;
  // Inside begin_write(): nobody else is between this and the end of their transaction.
  virtual void lock_schema() = 0;

  virtual void reconnect() = 0;
  // Tables that this connection sees, in order of their names.
  [[nodiscard]] virtual std::vector<std::string> tables() = 0;
  // Behind the closing bracket of CREATE TABLE for tables whose key is most of a row.
  [[nodiscard]] virtual std::string_view keyed_table() const = 0;
  // The member of an object that a column of text holds as JSON, as text; NULL without one.
  [[nodiscard]] virtual std::string json_member(std::string_view column,
                                                std::string_view member) const = 0;
  // Copies a database in a file, unless the copy is there. One on a server has its own copies.
  virtual void copy_beside(const std::string& ending) = 0;
  // As people may see it: without a password.
  [[nodiscard]] virtual std::string name() const = 0;

  // "sqlite:FILE", made where it is not there, or "postgresql://...".
  [[nodiscard]] static std::unique_ptr<Database> open(std::string_view url);
};

// The file of "sqlite:FILE"; nullopt for a server. Throws ConfigError, which names the two forms,
// for anything else.
[[nodiscard]] std::optional<std::filesystem::path> sqlite_file(std::string_view url);

// Hands a row to its reader. Throws ConfigError, which names the table of `sql` and the row, where
// a value is not of the type that the reader takes, or it finds a DamagedRow: only other programs
// write such ones.
void hand_row(const Database& database, std::string_view sql, SqlRow row,
              const Database::OnRow& on_row);

[[noreturn]] void refuse_row(const Database& database, std::string_view sql, SqlRow row,
                             std::string_view why);

// For people and logs: "postgresql://user:secret@host/name" -> "postgresql://user@host/name",
// without what follows '?', which may hold a password too. A file's URL stays as it is.
[[nodiscard]] std::string without_password(std::string_view url);

// What a database stores of a text: valid UTF-8, U+FFFD for NUL.
[[nodiscard]] std::string storable_text(std::string_view text);
// It is so already.
[[nodiscard]] bool is_storable(std::string_view text);

}  // namespace stepbench::store
