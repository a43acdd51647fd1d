// SPDX-License-Identifier: Apache-2.0
#include "harness/report/estimate_text.h"

#include <cmath>
#include <cstdint>
#include <string_view>

#include "harness/base/value.h"

namespace stepbench {

std::string estimate_text(const EstimateColumn& column, const CaseRow& row, TimeUnit unit,
                          const std::string& otherwise) {
  const Value value = column.get(row);
  if (is_null(value)) return otherwise;
  const double number = number_of(value).value_or(0);
  switch (column.format) {
    case ColumnFormat::kTime:
      return significant(number / unit.ns);
    case ColumnFormat::kPercent:
      return percent(number);
    case ColumnFormat::kNumber:
      return significant(number);
    case ColumnFormat::kGiga:
      return significant(number * 1e-9);
    case ColumnFormat::kRatio:
      return significant(number) + 'x';
    case ColumnFormat::kPlain:
      break;
  }
  return to_text(value);
}

std::string quantity_text(double value, std::string_view name, std::string_view unit) {
  constexpr double kMostWhole = 1e15;
  if (unit == "ns" || name.ends_with("_ns")) return duration(value);
  if (unit == "bytes" || name.ends_with("_bytes")) return byte_text(value);
  if (unit == "ratio") return percent(value) + " %";
  const bool whole = value == std::floor(value) && std::abs(value) < kMostWhole;
  std::string number =
      whole ? with_separators(static_cast<std::int64_t>(value)) : significant(value);
  return unit.empty() ? number : number + ' ' + std::string(unit);
}

std::string header_text(const EstimateColumn& column, TimeUnit unit) {
  constexpr std::string_view kUnit = "{unit}";
  std::string text(column.header);
  if (const std::size_t at = text.find(kUnit); at != std::string::npos) {
    text.replace(at, kUnit.size(), unit.name);
  }
  return text;
}

}  // namespace stepbench
