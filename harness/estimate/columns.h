// SPDX-License-Identifier: Apache-2.0
// The single table of metrics: declares every number of a step, a launch or a case once. It is read
// by the catalogue (`list metrics`), `ab --metric`, `track.metrics`, CSV, JSON, OpenMetrics, the
// tables for console and Markdown, the case page, --sort and --columns. To add one: its row in
// columns.cpp, or in launch_metrics.cpp if it is not a column of cases. Also selects, sorts and
// reads rows by a name that a user typed. Pure; any thread.
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

struct ClockedLaunch;

// Format for people; programs get base units. Times are in the table's unit.
enum class ColumnFormat : std::uint8_t {
  kPlain,        // as it is
  kPercent,      // of a share
  kNumber,       // three significant digits
  kGiga,         // of a large number per second
  kRatio,        // three significant digits and an x
  kSmallPercent  // of a share that may be far below one percent, two significant digits
};

// NaN if the launch has no such value.
using LaunchValue = double (*)(const ClockedLaunch& of);
// Null if the case has no such value.
using CaseValue = std::function<Value(const CaseRow& row)>;

// Its OpenMetrics family, in base units; no family without a name.
struct Gauge {
  std::string_view name = {};  // suffix of "stepbench_", with its unit: "_seconds" or "_ratio"
  std::string_view help = {};  // empty: the metric's `doc`
};

struct EstimateColumn {
  // The name is used in CSV and JSON, and by --sort, --columns and --metric. Columns without a
  // `doc` describe other columns and are not metrics.
  Metric metric;
  // Null: the launch's reported metric of this name, else the mean of that column over its steps.
  LaunchValue of_launch = nullptr;
  // Null: not a column of cases.
  CaseValue get = nullptr;
  ColumnFormat format = ColumnFormat::kPlain;
  // Lower bound for cases without a value; null: no bound.
  CaseValue at_least = nullptr;

  // Head of its column in tables for people; {unit} stands for the table's time unit. Empty: shown
  // only on request.
  std::string_view header = {};
  // Columns are dropped in ascending order when the terminal is too narrow; 0: never dropped.
  int drop_at = 0;
  // Shown if this holds for any row; null: shown if any row has a value.
  std::function<bool(const CaseRow&)> shown_for = nullptr;

  // Its position in the first lines of a case's page, from 1; 0: not shown there.
  int on_page = 0;
  // Text around the number on that page.
  std::string_view page_before = {};
  std::string_view page_after = {};

  Gauge gauge = {};
};

// True for times in nanoseconds: the name ends in "_ns".
[[nodiscard]] bool is_time(const EstimateColumn& column);

// Keys of a case: id, arm, pass and workload. The options follow them.
[[nodiscard]] std::span<const EstimateColumn> key_columns();
// Results, in the order of CSV, JSON and tables.
[[nodiscard]] std::span<const EstimateColumn> estimate_columns();
// Sources of noise. Computed only when requested by name, since each reads all steps.
[[nodiscard]] std::span<const EstimateColumn> noise_columns();

// Waiting times of requests. Shown only if any row has a value.
[[nodiscard]] std::span<const EstimateColumn> request_columns();
// Metrics only of steps and launches, not columns of cases. Most are recorded by the worker as they
// are.
[[nodiscard]] std::span<const EstimateColumn> launch_metrics();

// All columns that are metrics, as declared in files and by `list metrics`.
[[nodiscard]] const std::vector<Metric>& harness_metrics();
// Null for unknown names.
[[nodiscard]] const EstimateColumn* find_column(std::string_view name);
// Of keys, estimates, requests and noise, in this order.
[[nodiscard]] const std::vector<const EstimateColumn*>& all_columns();

// Value of any metric: by its row's formula; without a formula or a row, the launch's reported
// metric of this name, else the mean of that column over its steps.
[[nodiscard]] double launch_value(const ClockedLaunch& of, std::string_view metric);

// Looks up a row's value by a name that a user typed: an option (full or short name), a column, the
// head of a table column, or a metric or phase of its launches.

// Names in a record for programs, without duplicates: keys, options, estimates. Without metrics and
// phases.
[[nodiscard]] std::vector<std::string> record_names(std::span<const CaseRow> rows);
// Other names that a record may have, without duplicates and without those above. Each list is
// ordered.
struct DetailNames {
  std::vector<std::string> requests;     // waiting times of requests
  std::vector<std::string> phases;       // times: data_wait_ns, forward_device_ns
  std::vector<std::string> metrics;      // of launches; with kMetricPrefix if a name is taken
  std::vector<std::string> labels;       // labels of the run, with kLabelPrefix
  std::vector<std::string> environment;  // environment of the worker, with kEnvironmentPrefix
};
[[nodiscard]] DetailNames detail_names(std::span<const CaseRow> rows);
inline constexpr std::string_view kMetricPrefix = "metric.";
inline constexpr std::string_view kLabelPrefix = "label.";
inline constexpr std::string_view kEnvironmentPrefix = "environment.";
// Returns the full name. Throws ConfigError at `where` if it is unknown or ambiguous.
[[nodiscard]] std::string full_name(const std::string& name, std::span<const CaseRow> rows,
                                    const char* where);
// In base units; metrics are medians over launches. Null if the row has no such value.
[[nodiscard]] Value row_value(const CaseRow& row, const std::string& full_name);
// As row_value() for many rows: the name is looked up once.
[[nodiscard]] CaseValue row_getter(const std::string& full_name);
[[nodiscard]] bool is_option(std::span<const CaseRow> rows, const std::string& full_name);

// Sorts by any name; "-NAME" sorts descending. Rows without a value come last. Throws ConfigError
// at --sort for an unknown name.
void sort_rows(std::vector<CaseRow>& rows, const std::string& by);

// True if `text` is a way to write the value: "8", "8.0" and 8 are equal, as are "True" and true.
// "null" never matches.
[[nodiscard]] bool is_written(const Value& value, const std::string& text);

// --case, --filter and --baseline of finished results.

// Returns its rows: a timed one for each arm and run, else those of its other passes. Throws
// ConfigError for --case unless exactly one case begins with `prefix`.
[[nodiscard]] std::vector<CaseRow> find_case(const std::vector<CaseRow>& rows,
                                             const record::Results& results,
                                             const std::string& prefix);

// Removes all other cases from `results`.
void keep_case(record::Results& results, const std::string& case_id);

// Applies `--filter num_workers=4,8`: keeps the launches whose option has one of the values; a
// launch must pass all filters. Throws ConfigError at --filter for an unknown name or if no case is
// left.
void keep_filtered(record::Results& results, std::span<const std::string> filters);

// Applies `--baseline num_workers=0,pin_memory=false`, or the first digits of the id of a case or
// of one of several runs: fills `vs_baseline` of the rows. If several rows match the baseline, each
// row is compared with the one whose other options equal its own. Throws ConfigError at --baseline
// if no row matches.
void compare_with_baseline(std::vector<CaseRow>& rows, const record::Results& results,
                           const std::string& baseline);

}  // namespace stepbench::estimate
