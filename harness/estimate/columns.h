// SPDX-License-Identifier: Apache-2.0
// Every number that is reported of a case, declared once: CSV, JSON, the tables on the console and
// in Markdown, the page of a case, --sort and --columns read this table. To add one: compute it
// into CaseRow, and add its row here. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/value.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

// How people read the number; programs get it in base units.
enum class ColumnFormat : std::uint8_t {
  kPlain,        // as it is
  kTime,         // of nanoseconds, in the unit of the table
  kPercent,      // of a share
  kNumber,       // three significant digits
  kGiga,         // of a large number per second
  kRatio,        // three significant digits and an x
  kSmallPercent  // of a share that may be far below one percent, two significant digits
};

struct EstimateColumn {
  // In CSV and JSON, for --sort and --columns.
  std::string_view name;
  // Null if the case has no such number.
  Value (*get)(const CaseRow&);
  ColumnFormat format = ColumnFormat::kPlain;
  // Bounds the number from below where the case has none; null: nothing does.
  Value (*at_least)(const CaseRow&) = nullptr;

  // Head of its column in tables for people; {unit} is the unit of times in the table. Empty: it
  // stands there only where it is asked for.
  std::string_view header = {};
  // Of columns for which the terminal has no room the smallest goes first; 0: never.
  int drop_at = 0;
  // It stands in the table if this holds for any row; null: if any row has a value.
  bool (*shown_for)(const CaseRow&) = nullptr;

  // Its place in the first lines of a case's page, from 1; 0: not there.
  int on_page = 0;
  // Around the number there.
  std::string_view page_before = {};
  std::string_view page_after = {};
};

// What a case is: its id, arm, pass and workload. The options follow.
[[nodiscard]] std::span<const EstimateColumn> key_columns();
// What was found, in the order of CSV and JSON and of the tables.
[[nodiscard]] std::span<const EstimateColumn> estimate_columns();
// Where its noise comes from: only where they are asked for by name, since each reads all steps.
[[nodiscard]] std::span<const EstimateColumn> noise_columns();

// Of rows that answer requests: how long those waited who asked. Only where any row has a value.
[[nodiscard]] std::span<const EstimateColumn> request_columns();

}  // namespace stepbench::estimate
