// SPDX-License-Identifier: Apache-2.0
#include "harness/report/estimate_text.h"

#include <cmath>
#include <cstdint>
#include <string_view>

#include "harness/base/value.h"

namespace stepbench::report {

namespace {

std::string value_text(const Value& value, const estimate::EstimateColumn& column,
                       text::TimeUnit unit) {
  const double number = number_of(value).value_or(0);
  if (estimate::is_time(column)) return text::significant(number / unit.ns);
  switch (column.format) {
    case estimate::ColumnFormat::kPercent:
      return text::percent(number);
    case estimate::ColumnFormat::kNumber:
      return text::significant(number);
    case estimate::ColumnFormat::kGiga:
      return text::significant(number * 1e-9);
    case estimate::ColumnFormat::kRatio:
      return text::significant(number) + 'x';
    case estimate::ColumnFormat::kSmallPercent:
      return text::significant(100 * number, 2);
    case estimate::ColumnFormat::kPlain:
      break;
  }
  return to_text(value);
}

}  // namespace

std::string estimate_text(const estimate::EstimateColumn& column, const estimate::CaseRow& row,
                          text::TimeUnit unit, const std::string& otherwise) {
  if (const Value value = column.get(row); !is_null(value)) return value_text(value, column, unit);
  const Value bound = column.at_least == nullptr ? Value() : column.at_least(row);
  return is_null(bound) ? otherwise : ">= " + value_text(bound, column, unit);
}

std::string quantity_text(double value, std::string_view name, std::string_view unit) {
  constexpr double kMostWhole = 1e15;
  if (unit == "ns" || name.ends_with("_ns")) return text::duration(value);
  if (unit == "bytes" || name.ends_with("_bytes")) return text::byte_text(value);
  if (unit == "ratio") return text::percent(value) + " %";
  const bool whole = value == std::floor(value) && std::abs(value) < kMostWhole;
  std::string number =
      whole ? text::with_separators(static_cast<std::int64_t>(value)) : text::significant(value);
  return unit.empty() ? number : number + ' ' + std::string(unit);
}

std::string header_text(const estimate::EstimateColumn& column, text::TimeUnit unit) {
  constexpr std::string_view kUnit = "{unit}";
  std::string text(column.header);
  if (const std::size_t at = text.find(kUnit); at != std::string::npos) {
    text.replace(at, kUnit.size(), unit.name);
  }
  return text;
}

}  // namespace stepbench::report
