// SPDX-License-Identifier: Apache-2.0
// The one table of metrics: every number of a step, a launch or a case, declared once. The
// catalogue
// (`list metrics`), what `ab --metric` and `track.metrics` test, CSV, JSON, OpenMetrics, the tables
// on the console and in Markdown, the page of a case, --sort and --columns read it. To add one: its
// row in columns.cpp, or in launch_metrics.cpp where it is no column of cases. Pure;
// any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"
#include "harness/catalogue/catalogue.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

// How people read the number; programs get it in base units. A time is in the unit of the table.
enum class ColumnFormat : std::uint8_t {
  kPlain,        // as it is
  kPercent,      // of a share
  kNumber,       // three significant digits
  kGiga,         // of a large number per second
  kRatio,        // three significant digits and an x
  kSmallPercent  // of a share that may be far below one percent, two significant digits
};

struct ClockedLaunch;  // launch_values.h
// NaN if the launch has no such number.
using LaunchValue = double (*)(const ClockedLaunch& of);
// Null if the case has no such number.
using CaseValue = std::function<Value(const CaseRow& row)>;

// Its family in OpenMetrics, in base units; without a name it has none.
struct Gauge {
  std::string_view name = {};  // behind "stepbench_"; ends in "_seconds" or "_ratio" by its unit
  std::string_view help = {};  // empty: the metric's `doc`
};

struct EstimateColumn {
  // The name is that in CSV and JSON, for --sort, --columns and --metric. Without a `doc` it
  // describes other numbers and is no metric.
  Metric metric;
  // Null: what the launch reports by this name, else the mean over its steps.
  LaunchValue of_launch = nullptr;
  // Null: it is no column of cases.
  CaseValue get = nullptr;
  ColumnFormat format = ColumnFormat::kPlain;
  // Bounds the number from below where the case has none; null: nothing does.
  CaseValue at_least = nullptr;

  // Head of its column in tables for people; {unit} is the unit of times in the table. Empty: it
  // stands there only where it is asked for.
  std::string_view header = {};
  // Of columns for which the terminal has no room the smallest goes first; 0: never.
  int drop_at = 0;
  // It stands in the table if this holds for any row; null: if any row has a value.
  std::function<bool(const CaseRow&)> shown_for = nullptr;

  // Its place in the first lines of a case's page, from 1; 0: not there.
  int on_page = 0;
  // Around the number there.
  std::string_view page_before = {};
  std::string_view page_after = {};

  Gauge gauge = {};
};

// In nanoseconds: its name ends in "_ns".
[[nodiscard]] bool is_time(const EstimateColumn& column);

// What a case is: its id, arm, pass and workload. The options follow.
[[nodiscard]] std::span<const EstimateColumn> key_columns();
// What was found, in the order of CSV and JSON and of the tables.
[[nodiscard]] std::span<const EstimateColumn> estimate_columns();
// Where its noise comes from: only where they are asked for by name, since each reads all steps.
[[nodiscard]] std::span<const EstimateColumn> noise_columns();

// Of rows that answer requests: how long those waited who asked. Only where any row has a value.
[[nodiscard]] std::span<const EstimateColumn> request_columns();
// Of steps and of launches alone: they are no columns of cases. Most are as a worker records them.
[[nodiscard]] std::span<const EstimateColumn> launch_metrics();

// All rows that are metrics, as files and `list metrics` declare them.
[[nodiscard]] const std::vector<Metric>& harness_metrics();
// Null if there is none of this name.
[[nodiscard]] const EstimateColumn* find_column(std::string_view name);

// Of any metric, by its row; of one that has no formula there, or no row, what the launch reports
// by this name, else the mean over its steps.
[[nodiscard]] double launch_value(const ClockedLaunch& of, std::string_view metric);

}  // namespace stepbench::estimate
