// SPDX-License-Identifier: Apache-2.0
// A trace's file written again, byte by byte, with more rows behind its own.
#pragma once

#include <filesystem>
#include <functional>

#include "harness/trace/trace.h"
#include "harness/trace/trace_file.h"

namespace stepbench::trace {

// Writes one row after the other; each call is one element of traceEvents.
class MoreRows {
 public:
  MoreRows(TraceFile& file, bool first) : file_(file), first_(first) {}

  // The place for a row.
  TraceFile& row() {
    file_.text(first_ ? "\n" : ",\n");
    first_ = false;
    return file_;
  }

 private:
  TraceFile& file_;
  bool first_;
};

// `facts` of reading the trace say where its rows end. The copy stands whole under its name, or not
// at all; one that ends in .gz is compressed. Throws ConfigError where the trace is in no JSON
// file, where the copy would take its place, and where the file has changed since it was read.
void copy_trace(const ReadingFacts& facts, const std::filesystem::path& to,
                const std::function<void(MoreRows&)>& add_rows);

}  // namespace stepbench::trace
