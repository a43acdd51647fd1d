// SPDX-License-Identifier: Apache-2.0
// Sections -> one HTML document that needs nothing else: no server, no network. Its figures are
// drawn from its data by charts.js and Plotly inside it; without JavaScript the tables and the
// words of the figures stand there. A Content-Security-Policy lets nothing run but our script and
// Plotly's, and nothing be fetched. Pure; any thread.
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
  std::string data;  // JSON, of the schema stepbench.report
  Plotly plotly = {};
  // A page of several in one folder: the script of Plotly lies beside it, in this file, and the
  // page leads back to another one.
  std::string plotly_file = {};
  document::Line back = {""};
  [[nodiscard]] bool draws() const { return !plotly.script.empty() || !plotly_file.empty(); }
  bool compact = false;  // what is long is packed: gzip in base64
};

// A page says that it is one, in its first lines: `<meta name="generator" content="stepbench">`.
[[nodiscard]] std::string html_page(const Page& page);

}  // namespace stepbench::report
