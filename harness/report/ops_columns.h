// SPDX-License-Identifier: Apache-2.0
// Every column of an op table, declared once: terminal, Markdown, CSV, JSON and --sort read this.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/base/value.h"
#include "harness/ops/op_table.h"

namespace stepbench::report {

enum class OpUnit : unsigned char { kText, kCount, kOperations, kTime, kBytes, kPercent };

struct OpColumn {
  // An attribute of torch.profiler's averages where it has one; `cuda` may be written `device`.
  std::string_view name;
  std::string_view head;
  OpUnit unit;
  std::string_view doc;
  int drop_at;  // in a narrow terminal: the lowest go first; 0 never
  // Text, or a number: times in nanoseconds, shares in percent. Nothing: it has no meaning.
  Value (*get)(const ops::OpRow&, const ops::OpTable&, const ops::OpTotals&);
};

[[nodiscard]] std::span<const OpColumn> op_columns();

// By its name or by the head that the table shows. Throws ConfigError at `where` naming the
// nearest.
[[nodiscard]] const OpColumn& op_column(std::string_view name, const std::string& where);

// 10.0 G: operations fill every magnitude.
[[nodiscard]] std::string operations_text(double count);

// A column's value for people; empty where it has no meaning.
[[nodiscard]] std::string op_cell_text(const Value& value, OpUnit unit);

// "us" for times: torch.profiler's unit; CSV and JSON are in it, exact to the nanosecond.
[[nodiscard]] std::string_view unit_name(OpUnit unit);

}  // namespace stepbench::report
