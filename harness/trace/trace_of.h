// SPDX-License-Identifier: Apache-2.0
// An op log -> the trace that reading its file would give, without the file. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/ops/op_log.h"
#include "harness/trace/trace.h"

namespace stepbench::trace {

// What a log does not say.
struct TraceHeader {
  std::string engine = {};  // native | kineto
  int rank = 0;
  int world = 1;
  std::string backend = {};         // of c10d: gloo | nccl; empty: not known, or one process
  std::int64_t unix_offset_ns = 0;  // the log's clock + this = ns since 1970
  bool shapes = false;
  bool memory = false;
  std::string loader = "StepbenchLoader";  // the class that rows of data_wait name
  std::vector<ops::TraceDevice> devices = {};
  std::vector<std::pair<std::string, std::string>> own = {};  // under the key "stepbench"
};

// read_trace of what write_trace makes of the same log and header, but for the facts of the file.
[[nodiscard]] Trace trace_of(const ops::OpLog& log, const TraceHeader& header = {});

}  // namespace stepbench::trace
