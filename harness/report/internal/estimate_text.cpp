// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/estimate_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "harness/base/format.h"
#include "harness/base/value.h"
#include "harness/estimate/columns.h"

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
  constexpr double kMaxInteger = 1e15;
  if (unit == "ns" || name.ends_with("_ns")) return text::duration(value);
  if (unit == "bytes" || name.ends_with("_bytes")) return text::byte_text(value);
  if (unit == "bytes/s") return text::significant(value * 1e-9) + " GB/s";
  if (unit == "ratio") return text::percent(value) + " %";
  const bool whole = value == std::floor(value) && std::abs(value) < kMaxInteger;
  std::string number =
      whole ? text::with_separators(static_cast<std::int64_t>(value)) : text::significant(value);
  return unit.empty() || unit == "1" ? number : number + ' ' + std::string(unit);
}

std::string header_text(const estimate::EstimateColumn& column, text::TimeUnit unit) {
  constexpr std::string_view kUnit = "{unit}";
  std::string text(column.header);
  if (const std::size_t at = text.find(kUnit); at != std::string::npos) {
    text.replace(at, kUnit.size(), unit.name);
  }
  return text;
}

std::string head_for(const std::string& full_name, text::TimeUnit unit,
                     const estimate::RowNames& names) {
  constexpr std::string_view kNs = "_ns";
  const estimate::EstimateColumn* column = estimate::find_column(full_name);
  if (column != nullptr && !column->header.empty()) return header_text(*column, unit);
  const bool time = column != nullptr && estimate::is_time(*column);
  if (!time) return estimate::short_name(full_name, names.varying());
  return formatted("{} [{}]", full_name.substr(0, full_name.size() - kNs.size()), unit.name);
}

std::string text_for(const estimate::CaseRow& row, const std::string& full_name,
                     text::TimeUnit unit, std::span<const Metric> definitions) {
  constexpr const char* kNothing = "-";
  if (const estimate::EstimateColumn* column = estimate::find_column(full_name)) {
    return estimate_text(*column, row, unit, kNothing);
  }
  const Value value = estimate::row_value(row, full_name);
  const auto number = number_of(value);
  if (is_null(value)) return kNothing;
  if (!number || row.options().contains(full_name)) return to_text(value);
  const auto found = std::ranges::find_if(
      definitions, [&](const Metric& metric) { return metric.name == full_name; });
  return quantity_text(*number, full_name, found == definitions.end() ? "" : found->unit);
}

}  // namespace stepbench::report
