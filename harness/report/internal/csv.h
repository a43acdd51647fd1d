// SPDX-License-Identifier: Apache-2.0
// Cells and lines of a CSV file (RFC 4180). Pure; any thread.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/value.h"
#include "harness/text/words.h"

namespace stepbench::report {

// Quotes text that contains commas, quotes or line ends, and escapes control characters other than
// the line end as printable() does. Prefixes a single quote to text that a spreadsheet would run as
// a formula: it begins with = + - or @ and is not a number.
[[nodiscard]] std::string csv_cell(const std::string& text);
// Empty for null and for numbers that are not finite.
[[nodiscard]] std::string csv_value(const Value& value);

[[nodiscard]] inline Value csv_number(const std::optional<double>& number) {
  return number ? Value(*number) : Value();
}

// A column of a CSV file; each line is made from one Row.
template <typename Row>
struct CsvColumn {
  std::string head;
  std::function<Value(const Row& row)> get;
};

template <typename Row>
[[nodiscard]] std::string csv_heads(const std::vector<CsvColumn<Row>>& columns) {
  return text::join(columns, ",", [](const auto& column) { return csv_cell(column.head); }) + '\n';
}

// Without the line end.
template <typename Row>
[[nodiscard]] std::string csv_cells(std::span<const CsvColumn<Row>> columns, const Row& row) {
  return text::join(columns, ",", [&](const auto& column) { return csv_value(column.get(row)); });
}
template <typename Row>
[[nodiscard]] std::string csv_line(const std::vector<CsvColumn<Row>>& columns, const Row& row) {
  return csv_cells<Row>(columns, row) + '\n';
}

}  // namespace stepbench::report
