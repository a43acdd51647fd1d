// SPDX-License-Identifier: Apache-2.0
// Formats reported numbers for people. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/estimate/columns.h"
#include "harness/text/numbers.h"

namespace stepbench::report {

// Value of one case without its unit; `otherwise` if it has none.
[[nodiscard]] std::string estimate_text(const estimate::EstimateColumn& column,
                                        const estimate::CaseRow& row, text::TimeUnit unit,
                                        const std::string& otherwise);
// A launch metric with its unit, by its definition or the ending of its name: "12.3 ms", "1.50
// GiB", "14,543 faults"; shares in percent.
[[nodiscard]] std::string quantity_text(double value, std::string_view name, std::string_view unit);
// "host [ms]"
[[nodiscard]] std::string header_text(const estimate::EstimateColumn& column, text::TimeUnit unit);

// Column head and cell text for anything that a row has under a full name.
[[nodiscard]] std::string head_for(const std::string& full_name, text::TimeUnit unit,
                                   const estimate::RowNames& names);
[[nodiscard]] std::string text_for(const estimate::CaseRow& row, const std::string& full_name,
                                   text::TimeUnit unit, std::span<const Metric> definitions);

}  // namespace stepbench::report
