// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/foreign_database.h"

#include <sqlite3.h>
#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/os/text_file.h"
#include "harness/text/words.h"

namespace stepbench::traces {
namespace {

constexpr int kInstructions = 1000;

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

struct ForeignDatabase::Handle {
  sqlite3* connection = nullptr;
  std::uint64_t file_bytes = 0;
  std::uint64_t looks_left = 0;  // left to the running query; each is kInstructions of SQLite
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { ::sqlite3_close(connection); }
};

std::optional<std::int64_t> ForeignDatabase::Row::integer(std::size_t column) const {
  auto* const statement = static_cast<sqlite3_stmt*>(statement_);
  const int index = static_cast<int>(column);
  if (::sqlite3_column_type(statement, index) != SQLITE_INTEGER) return std::nullopt;
  return ::sqlite3_column_int64(statement, index);
}

std::optional<std::string> ForeignDatabase::Row::text(std::size_t column) const {
  auto* const statement = static_cast<sqlite3_stmt*>(statement_);
  const int index = static_cast<int>(column);
  if (::sqlite3_column_type(statement, index) != SQLITE_TEXT) return std::nullopt;
  const unsigned char* const bytes = ::sqlite3_column_text(statement, index);
  const int size = ::sqlite3_column_bytes(statement, index);
  if (bytes == nullptr || size < 0) return std::nullopt;
  *text_left_ -= std::min(*text_left_, std::uint64_t(size));
  return std::string(reinterpret_cast<const char*>(bytes), std::size_t(size));
}

ForeignDatabase::ForeignDatabase(const std::filesystem::path& path)
    : path_(path), handle_(std::make_unique<Handle>()) {
  constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  if (::sqlite3_open_v2(path.c_str(), &handle_->connection, kFlags, nullptr) != SQLITE_OK) fail();
  handle_->file_bytes = std::filesystem::file_size(path);
  ::sqlite3_progress_handler(
      handle_->connection, kInstructions,
      [](void* data) {
        std::uint64_t& left = static_cast<Handle*>(data)->looks_left;
        return left == 0 ? 1 : static_cast<int>(--left == 0);
      },
      handle_.get());
  constexpr int kMaxRowBytes = 64 << 20;  // as for other traces
  ::sqlite3_limit(handle_->connection, SQLITE_LIMIT_LENGTH, kMaxRowBytes);
  // Never execute code from the file's schema.
  ::sqlite3_db_config(handle_->connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_db_config(handle_->connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  ::sqlite3_db_config(handle_->connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  ::sqlite3_db_config(handle_->connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  query("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
        [this](const Row& row) {
          if (const std::optional<std::string> name = row.text(0)) tables_.insert(*name);
        });
}

ForeignDatabase::~ForeignDatabase() = default;

bool ForeignDatabase::has(std::string_view table) const { return tables_.contains(table); }

std::set<std::string, std::less<>> ForeignDatabase::columns(std::string_view table) const {
  std::set<std::string, std::less<>> found;
  if (!has(table)) return found;
  constexpr std::size_t kName = 1;
  query(formatted("PRAGMA table_info({})", quoted_name(table)), [&](const Row& row) {
    if (const std::optional<std::string> name = row.text(kName)) found.insert(*name);
  });
  return found;
}

void ForeignDatabase::read(std::string_view table, std::string_view wanted,
                           const std::function<void(const Row&)>& on_row, Order order) const {
  const std::set<std::string, std::less<>> there = columns(table);
  if (there.empty()) return;
  std::vector<std::string> list;
  for (const std::string_view name : os::split_words(wanted)) {
    list.push_back(there.contains(name) ? quoted_name(name) : "NULL");
  }
  const std::string sorted = order == Order::kSorted ? " ORDER BY 1" : "";
  query(formatted("SELECT {} FROM {}{}", text::join(list), quoted_name(table), sorted), on_row);
}

void ForeignDatabase::query(const std::string& sql,
                            const std::function<void(const Row&)>& on_row) const {
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
  };
  // A sound row needs fewer instructions per byte; its text is at most twice its bytes (UTF-16).
  constexpr std::uint64_t kInstructionsPerByte = 16;
  constexpr std::uint64_t kMinLooks = 1000;
  handle_->looks_left = kMinLooks + handle_->file_bytes / kInstructions * kInstructionsPerByte;
  std::uint64_t text_left = 2 * handle_->file_bytes + 1;
  sqlite3_stmt* prepared = nullptr;
  const int size = static_cast<int>(sql.size());
  if (::sqlite3_prepare_v2(handle_->connection, sql.data(), size, &prepared, nullptr) !=
      SQLITE_OK) {
    fail();
  }
  const std::unique_ptr<sqlite3_stmt, Finalize> statement(prepared);
  int code = SQLITE_ROW;
  while (text_left > 0 && (code = ::sqlite3_step(statement.get())) == SQLITE_ROW) {
    on_row(Row(statement.get(), text_left));
  }
  if (code != SQLITE_DONE) fail();
}

void ForeignDatabase::fail() const {
  const int code = ::sqlite3_errcode(handle_->connection);
  if (code == SQLITE_INTERRUPT || code == SQLITE_ROW) {
    throw ConfigError(path_, "is damaged: it leads to more rows than its bytes can hold");
  }
  const char* const why =
      handle_->connection == nullptr ? "no memory" : ::sqlite3_errmsg(handle_->connection);
  throw ConfigError(path_, std::string("cannot be read as a SQLite database: ") + why);
}

}  // namespace stepbench::traces
