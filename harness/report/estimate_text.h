// SPDX-License-Identifier: Apache-2.0
// Reported numbers as people read them. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/estimate/columns.h"
#include "harness/text/numbers.h"

namespace stepbench::report {

// The number of one case without its unit; `otherwise` if the case has none.
[[nodiscard]] std::string estimate_text(const estimate::EstimateColumn& column,
                                        const estimate::CaseRow& row, text::TimeUnit unit,
                                        const std::string& otherwise);
// A metric of launches with its unit, by its definition or by what its name ends in: "12.3 ms",
// "1.50 GiB", "14,543 faults"; a share in percent.
[[nodiscard]] std::string quantity_text(double value, std::string_view name, std::string_view unit);
// "host [ms]"
[[nodiscard]] std::string header_text(const estimate::EstimateColumn& column, text::TimeUnit unit);

// The same of whatever a row has under a full name: the head of its column and the text of a cell.
[[nodiscard]] std::string head_for(const std::string& full_name, text::TimeUnit unit,
                                   const estimate::RowNames& names);
[[nodiscard]] std::string text_for(const estimate::CaseRow& row, const std::string& full_name,
                                   text::TimeUnit unit, std::span<const Metric> definitions);

}  // namespace stepbench::report
