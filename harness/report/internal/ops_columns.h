// SPDX-License-Identifier: Apache-2.0
// Columns of an operator table, declared once for terminal, Markdown, CSV, JSON and --sort.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/base/enum_names.h"
#include "harness/base/value.h"
#include "harness/ops/op_table.h"

namespace stepbench::report {

enum class OpUnit : unsigned char { kText, kCount, kOperations, kTime, kBytes, kPercent };
// As CSV and JSON have it: "us" as in torch.profiler, exact to the nanosecond.
constexpr EnumNames<6> names_of(OpUnit) { return {"", "", "", "us", "bytes", "%"}; }

struct OpColumn {
  // An attribute of torch.profiler's averages if there is one; `cuda` can be written `device`.
  std::string_view name;
  std::string_view head;
  OpUnit unit;
  std::string_view doc;
  int drop_at;  // dropped in ascending order when the terminal is too narrow; 0: never
  // Text, or a number: times in nanoseconds, shares in percent. Null: not applicable.
  Value (*get)(const ops::OpRow&, const ops::OpTable&, const ops::OpTotals&);
};

[[nodiscard]] std::span<const OpColumn> op_columns();

// Finds a column by name or table head. Throws ConfigError at `where`, with the nearest name.
[[nodiscard]] const OpColumn& op_column(std::string_view name, const std::string& where);

// "10.0 G": FLOPs span all magnitudes.
[[nodiscard]] std::string operations_text(double count);

// Formats a value for people; empty if not applicable.
[[nodiscard]] std::string op_cell_text(const Value& value, OpUnit unit);

}  // namespace stepbench::report
