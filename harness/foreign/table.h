// SPDX-License-Identifier: Apache-2.0
// A table of text cells with the place of each row, read from CSV or JSON. One thread. Throws
// ConfigError with the line for a file that is no table.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::foreign {

struct ForeignRow {
  std::string where = {};  // "nights.csv:12"
  std::vector<std::string> cells = {};
};

struct ForeignTable {
  std::string where = {};  // of its head
  std::vector<std::string> columns = {};
  std::vector<ForeignRow> rows = {};

  // Throws ConfigError for `option` that names the nearest column.
  [[nodiscard]] std::size_t column(std::string_view name, std::string_view option) const;
  // The first of these that it has, in whatever case.
  [[nodiscard]] std::optional<std::size_t> find(std::span<const std::string_view> names) const;
};

// Separated by commas, semicolons or tabs, whichever its first line has most of; cells may be
// quoted. Every row has as many cells as the first line, which names the columns.
[[nodiscard]] ForeignTable csv_table(std::string_view text, const std::string& file);

// An array of objects, of arrays of numbers, or of numbers (their column is "value"), or an object
// of arrays. `wanted`: of an object the arrays as long as the first of these, or as its first
// array.
[[nodiscard]] ForeignTable json_table(std::string_view text, const std::filesystem::path& file,
                                      std::span<const std::string> wanted);

// Of a cell: a finite number; nullopt for anything else.
[[nodiscard]] std::optional<double> cell_number(std::string_view cell);
// "", "nan", "null", "-", "n/a": no value was measured.
[[nodiscard]] bool is_gap(std::string_view cell);

}  // namespace stepbench::foreign
