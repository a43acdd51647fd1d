// SPDX-License-Identifier: Apache-2.0
// What a row has under a name as people type it: an option (full or short name), a column, the head
// of a column as a table shows it, or a metric or phase of its launches. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/base/value.h"
#include "harness/catalogue/catalogue.h"
#include "harness/estimate/case_rows.h"
#include "harness/text/numbers.h"

namespace stepbench {

// Of a record for programs, each once: keys, options, estimates. Without metrics and phases.
[[nodiscard]] std::vector<std::string> record_names(std::span<const CaseRow> rows);
// The name in full. Throws ConfigError at `where` if there is none, or several.
[[nodiscard]] std::string full_name(const std::string& name, std::span<const CaseRow> rows,
                                    const char* where);
// In base units; of a metric the median over launches. Null if the row has none.
[[nodiscard]] Value row_value(const CaseRow& row, const std::string& full_name);
[[nodiscard]] bool is_option(std::span<const CaseRow> rows, const std::string& full_name);

// How people read it: the head of its column and the text of a cell.
[[nodiscard]] std::string head_for(const std::string& full_name, TimeUnit unit,
                                   const RowNames& names);
[[nodiscard]] std::string text_for(const CaseRow& row, const std::string& full_name, TimeUnit unit,
                                   std::span<const Metric> definitions);

// By any name; "-NAME": largest first. Rows without a value come last. Throws ConfigError at --sort
// for an unknown name.
void sort_rows(std::vector<CaseRow>& rows, const std::string& by);

// "8", "8.0" and 8 are alike, and so are "True" and true; "null" is no value.
[[nodiscard]] bool is_written(const Value& value, const std::string& text);

}  // namespace stepbench
