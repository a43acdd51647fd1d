// SPDX-License-Identifier: Apache-2.0
// Converts the records of a collector into the form of all traces, for tables, analyses and the
// file of a launch. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/ops/op_log.h"
#include "harness/trace/trace.h"

namespace stepbench::trace {

// Values that the log does not contain.
struct TraceHeader {
  std::string engine = {};  // native | kineto
  int rank = 0;
  int world = 1;
  std::string backend = {};         // c10d backend: gloo | nccl; empty: unknown, or one process
  std::int64_t unix_offset_ns = 0;  // log time + this = ns since 1970
  bool shapes = false;
  bool memory = false;
  std::string loader = "StepbenchLoader";  // class name used for data_wait rows
  std::vector<ops::TraceDevice> devices = {};
  std::vector<std::pair<std::string, std::string>> own = {};  // under the key "stepbench"
};

// Steps become rows ProfilerStep#N, data_wait becomes enumerate(DataLoader)#<loader>.__next__ and
// other phases stepbench::<phase>, all on the step thread; each foreign process has its own track.
// Records without times are omitted. Equals read_trace() of what write_trace() writes, except for
// facts of the file, waits of the device, and ops that ended on another thread.
[[nodiscard]] Trace trace_of(const ops::OpLog& log, const TraceHeader& header = {});

}  // namespace stepbench::trace
