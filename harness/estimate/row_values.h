// SPDX-License-Identifier: Apache-2.0
// Looks up a row's value by a name that a user typed: an option (full or short name), a column, the
// head of a table column, or a metric or phase of its launches. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"
#include "harness/estimate/columns.h"

namespace stepbench::estimate {

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

}  // namespace stepbench::estimate
