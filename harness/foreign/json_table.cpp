// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/foreign/json_file.h"
#include "harness/foreign/table.h"
#include "harness/text/words.h"

namespace stepbench::foreign {
namespace {

std::string cell_of(const Json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : value.dump();
}

ForeignTable table_of_rows(const Json& rows, const std::string& file) {
  ForeignTable table{.where = file};
  for (const Json& row : rows) {
    for (const auto& [name, value] : row.items()) {
      if (std::find(table.columns.begin(), table.columns.end(), name) == table.columns.end()) {
        table.columns.push_back(name);
      }
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ForeignRow row{.where = file + ": element " + std::to_string(i)};
    for (const std::string& column : table.columns) {
      const auto found = rows[i].find(column);
      row.cells.push_back(found == rows[i].end() ? std::string() : cell_of(*found));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ForeignTable table_of_numbers(const Json& numbers, const std::string& file) {
  ForeignTable table{.where = file, .columns = {"value"}};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    table.rows.push_back({file + ": element " + std::to_string(i), {cell_of(numbers[i])}});
  }
  return table;
}

// The arrays of an object that are as long as the chosen one.
ForeignTable table_of_columns(const Json& object, const std::string& file,
                              std::span<const std::string> wanted) {
  ForeignTable table{.where = file};
  std::optional<std::size_t> length;
  for (const std::string& name : wanted) {
    const auto found = object.find(name);
    if (found != object.end() && found->is_array() && !length) length = found->size();
  }
  for (const auto& [name, value] : object.items()) {
    if (!value.is_array() || value.empty() || value.front().is_structured()) continue;
    if (!length) length = value.size();
    if (value.size() != *length) continue;
    table.columns.push_back(name);
    table.rows.resize(*length);
    for (std::size_t i = 0; i < *length; ++i) {
      table.rows[i].where = file + ": " + name + "[" + std::to_string(i) + "]";
      table.rows[i].cells.push_back(cell_of(value[i]));
    }
  }
  return table;
}

}  // namespace

ForeignTable json_table(std::string_view text, const std::filesystem::path& file,
                        std::span<const std::string> wanted) {
  const Json parsed = parsed_json(text, file.string());
  ForeignTable table;
  if (parsed.is_array() && !parsed.empty()) {
    const auto all = [&](auto is) { return std::all_of(parsed.begin(), parsed.end(), is); };
    if (all([](const Json& each) { return each.is_object(); })) {
      table = table_of_rows(parsed, file.string());
    } else if (all([](const Json& each) { return each.is_number() || each.is_null(); })) {
      table = table_of_numbers(parsed, file.string());
    }
  } else if (parsed.is_object()) {
    table = table_of_columns(parsed, file.string(), wanted);
  }
  if (table.columns.empty()) {
    throw ConfigError(file.string(),
                      "is JSON of no known form: results of pytest-benchmark, Google Benchmark or "
                      "asv, an array of objects or numbers, or an object of arrays");
  }
  return table;
}

}  // namespace stepbench::foreign
