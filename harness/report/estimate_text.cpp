// SPDX-License-Identifier: Apache-2.0
#include "harness/report/estimate_text.h"

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
    case ColumnFormat::kPlain:
      break;
  }
  return to_text(value);
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
