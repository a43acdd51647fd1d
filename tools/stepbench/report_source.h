// SPDX-License-Identifier: Apache-2.0
// What `report` makes a page of, told by its content: runs, a verdict, a night, a history, traces.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "harness/report/html/report.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// A folder that holds runs becomes the newest of them, which is then said on `err`.
void choose_sources(std::vector<std::string>& sources, std::ostream& err);

// Throws ConfigError for what cannot be read and for sources that do not go together.
[[nodiscard]] report::Report read_report(const std::vector<std::string>& sources,
                                         report::ReportOptions options,
                                         const Environment& environment);

}  // namespace stepbench::cli
