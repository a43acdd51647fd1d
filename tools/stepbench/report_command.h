// SPDX-License-Identifier: Apache-2.0
// The sources of `stepbench report`, recognised by content: runs, a verdict, a night, a history,
// traces. The command itself is in the .cpp only.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "harness/report/html/report.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Replaces a folder of runs by the newest of them, which is reported on `err`.
void choose_sources(std::vector<std::string>& sources, std::ostream& err);

// Throws ConfigError for unreadable sources and for sources that cannot be combined.
[[nodiscard]] report::Report read_report(const std::vector<std::string>& sources,
                                         report::ReportOptions options,
                                         const Environment& environment);

}  // namespace stepbench::cli
