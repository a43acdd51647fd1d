// SPDX-License-Identifier: Apache-2.0
// Renders sections as one self-contained HTML document, without server or network. charts.js and
// Plotly, which are embedded, draw the figures from its data; without JavaScript tables and the
// words of the figures are shown. A Content-Security-Policy allows no scripts but these and no
// requests. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/report/html/plotly.h"

namespace stepbench::report {

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

}  // namespace stepbench::report
