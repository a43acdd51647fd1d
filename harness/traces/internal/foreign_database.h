// SPDX-License-Identifier: Apache-2.0
// Reads the SQLite export of an Nsight Systems report, which is a foreign file: reads it without
// changing or trusting it. Tables and columns may be absent, values may have any type, and pages
// may form cycles. Reads no more than its size. One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "harness/traces/trace.h"

namespace stepbench::traces {

class ForeignDatabase {
 public:
  // One row of a query; values are indexed like the requested columns.
  class Row {
   public:
    [[nodiscard]] std::optional<std::int64_t> integer(std::size_t column) const;
    [[nodiscard]] std::int64_t integer_or(std::size_t column, std::int64_t absent) const {
      return integer(column).value_or(absent);
    }
    [[nodiscard]] std::optional<std::string> text(std::size_t column) const;

   private:
    friend class ForeignDatabase;
    Row(void* statement, std::uint64_t& text_left)
        : statement_(statement), text_left_(&text_left) {}
    void* statement_;
    std::uint64_t* text_left_;  // remaining bytes for all rows of the query; 0: limit exceeded
  };

  // Throws ConfigError naming the file if it cannot be opened.
  explicit ForeignDatabase(const std::filesystem::path& path);
  ForeignDatabase(const ForeignDatabase&) = delete;
  ForeignDatabase& operator=(const ForeignDatabase&) = delete;
  ~ForeignDatabase();

  [[nodiscard]] bool has(std::string_view table) const;  // ignores views
  [[nodiscard]] const std::set<std::string, std::less<>>& tables() const { return tables_; }
  [[nodiscard]] std::set<std::string, std::less<>> columns(std::string_view table) const;
  // Reads every row of the table; does nothing if the table is missing. `wanted`: names of columns
  // with blanks between them; absent ones are null.
  // kSorted: by the first column. Throws ConfigError for a damaged file, e.g. with repeated pages.
  enum class Order : bool { kAny, kSorted };
  void read(std::string_view table, std::string_view wanted,
            const std::function<void(const Row&)>& on_row, Order order = Order::kAny) const;

 private:
  void query(const std::string& sql, const std::function<void(const Row&)>& on_row) const;
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  struct Handle;
  std::unique_ptr<Handle> handle_;
  std::set<std::string, std::less<>> tables_;
};

}  // namespace stepbench::traces
