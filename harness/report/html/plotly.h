// SPDX-License-Identifier: Apache-2.0
// Finds and validates Plotly's script, which draws the figures of a report. Any thread.
#pragma once

#include <filesystem>
#include <string>

namespace stepbench::report {

inline constexpr const char* kPlotlyFile = "plotly.min.js";

struct Plotly {
  std::string script;   // empty: no figures are drawn
  std::string version;  // "4.1.1"
};

// `given`: a file, or empty for plotly.min.js next to the program or in its ../share/stepbench;
// plain or gzip. Throws ConfigError at --plotly, with the places searched and the remedy, if the
// file is missing, is not Plotly, has the wrong version or is truncated.
[[nodiscard]] Plotly read_plotly(const std::string& given,
                                 const std::filesystem::path& program_dir);

}  // namespace stepbench::report
