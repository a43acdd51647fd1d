// SPDX-License-Identifier: Apache-2.0
// page.css, the scripts and report.schema.json, embedded by CMake. Any thread.
#pragma once

#include <string_view>

namespace stepbench::report {

[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view chart_script();  // not needed by pages without charts
[[nodiscard]] std::string_view page_script();
[[nodiscard]] std::string_view report_schema();

}  // namespace stepbench::report
