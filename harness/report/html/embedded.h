// SPDX-License-Identifier: Apache-2.0
// page.css, the scripts and report.schema.json as text in the program: CMake makes the .cpp from
// the files. Any thread.
#pragma once

#include <string_view>

namespace stepbench::report {

[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view chart_script();  // a page without charts has no need of it
[[nodiscard]] std::string_view page_script();
[[nodiscard]] std::string_view report_schema();

}  // namespace stepbench::report
