// SPDX-License-Identifier: Apache-2.0
// Plotly's script, which draws the figures of a report: found on disk and looked at before it goes
// into a page. Any thread.
#pragma once

#include <filesystem>
#include <string>

namespace stepbench::report {

inline constexpr const char* kPlotlyFile = "plotly.min.js";

struct Plotly {
  std::string script;   // empty: figures are not drawn
  std::string version;  // "4.1.1"
};

// `given`: a file, or empty for plotly.min.js beside the program or in ../share/stepbench of it,
// there also packed. Plain or gzip.
// Throws ConfigError at --plotly that names what was looked for and the remedy: no such file, one
// that is not Plotly's or not of the version that figures are made for, a file that is cut short.
[[nodiscard]] Plotly read_plotly(const std::string& given,
                                 const std::filesystem::path& program_dir);

}  // namespace stepbench::report
