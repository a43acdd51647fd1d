// SPDX-License-Identifier: Apache-2.0
// Traces read from a test's text.
#pragma once

#include "harness/base/error.h"
#include "harness/traces/trace_files.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench {

inline traces::Trace trace_from(std::string_view text, const traces::ReadOptions& options = {}) {
  const test::TemporaryFolder folder;
  folder.write("t.json", text);
  return traces::read_trace(folder / "t.json", options);
}

// The rows of a file without other content.
inline traces::Trace trace_of_rows(std::string_view rows) {
  return trace_from("{\"traceEvents\":[" + std::string(rows) + "]}");
}

// The error message after the path; empty if it was read.
inline std::string refusal(std::string_view text, const traces::ReadOptions& options = {}) {
  const test::TemporaryFolder folder;
  folder.write("t.json", text);
  try {
    (void)traces::read_trace(folder / "t.json", options);
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    const std::string path = (folder / "t.json").string() + ": ";
    return what.starts_with(path) ? what.substr(path.size()) : "without the path: " + what;
  }
  return {};
}

// An operator on thread 2 of process 1; `more` is JSON after its other fields.
inline std::string op_row(std::string_view name, std::string_view start = "10",
                          std::string_view duration = "5", std::string_view more = "") {
  return R"({"ph":"X","cat":"cpu_op","name":")" + std::string(name) + R"(","pid":1,"tid":2,"ts":)" +
         std::string(start) + ",\"dur\":" + std::string(duration) + std::string(more) + "}";
}

}  // namespace stepbench
