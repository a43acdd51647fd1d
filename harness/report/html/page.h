// SPDX-License-Identifier: Apache-2.0
// Sections -> one HTML document that needs no server and no network; its style, its scripts and
// Plotly, which draws the figures from the page's data. Without JavaScript the tables and the words
// of the figures remain. A Content-Security-Policy lets only our script and Plotly's run, and
// nothing be fetched. read_plotly() reads files; all else is pure. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/document/document.h"

namespace stepbench::report {

// Plotly's script: found on disk and validated.

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

struct Page {
  std::string title;
  document::Answer answer = {};
  std::vector<document::Chapter> sections;
  std::string data;  // JSON by the schema stepbench.report
  Plotly plotly = {};
  // For one of several pages in a folder: file name of the shared Plotly script, and a link back to
  // another page.
  std::string plotly_file = {};
  document::Line back = {""};
  [[nodiscard]] bool draws() const { return !plotly.script.empty() || !plotly_file.empty(); }
  bool compact = false;  // compress long data: gzip in base64
};

// The first lines of each page contain `<meta name="generator" content="stepbench">`.
[[nodiscard]] std::string html_page(const Page& page);

// page.css, the scripts and report.schema.json, embedded by CMake.

[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view chart_script();  // not needed by pages without charts
[[nodiscard]] std::string_view page_script();
[[nodiscard]] std::string_view report_schema();

}  // namespace stepbench::report
