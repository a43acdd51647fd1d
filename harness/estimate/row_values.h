// SPDX-License-Identifier: Apache-2.0
// What a row has under a name as people type it: an option (full or short name), a column, the head
// of a column as a table shows it, or a metric or phase of its launches. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/value.h"
#include "harness/estimate/columns.h"

namespace stepbench::estimate {

// Of a record for programs, each once: keys, options, estimates. Without metrics and phases.
[[nodiscard]] std::vector<std::string> record_names(std::span<const CaseRow> rows);
// What else a record may hold, each once and none of the above. Each list is in order.
struct DetailNames {
  std::vector<std::string> requests;     // of how long those waited who asked
  std::vector<std::string> phases;       // times: data_wait_ns, forward_device_ns
  std::vector<std::string> metrics;      // of launches; with kMetricPrefix where a name is taken
  std::vector<std::string> labels;       // of the run, with kLabelPrefix
  std::vector<std::string> environment;  // of the worker, with kEnvironmentPrefix
};
[[nodiscard]] DetailNames detail_names(std::span<const CaseRow> rows);
inline constexpr std::string_view kMetricPrefix = "metric.";
inline constexpr std::string_view kLabelPrefix = "label.";
inline constexpr std::string_view kEnvironmentPrefix = "environment.";
// The name in full. Throws ConfigError at `where` if there is none, or several.
[[nodiscard]] std::string full_name(const std::string& name, std::span<const CaseRow> rows,
                                    const char* where);
// In base units; of a metric the median over launches. Null if the row has none.
[[nodiscard]] Value row_value(const CaseRow& row, const std::string& full_name);
// The same for many rows: the name is looked up once.
[[nodiscard]] CaseValue row_getter(const std::string& full_name);
[[nodiscard]] bool is_option(std::span<const CaseRow> rows, const std::string& full_name);

// By any name; "-NAME": largest first. Rows without a value come last. Throws ConfigError at --sort
// for an unknown name.
void sort_rows(std::vector<CaseRow>& rows, const std::string& by);

// "8", "8.0" and 8 are alike, and so are "True" and true; "null" is no value.
[[nodiscard]] bool is_written(const Value& value, const std::string& text);

}  // namespace stepbench::estimate
