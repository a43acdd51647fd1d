// SPDX-License-Identifier: Apache-2.0
// An op log -> the trace that reading its file would give, without the file. Pure.
#pragma once

#include "harness/trace/trace.h"
#include "harness/trace/write_trace.h"

namespace stepbench::trace {

// read_trace of what write_trace makes of the same log and header, but for the facts of the file.
[[nodiscard]] Trace trace_of(const ops::OpLog& log, const TraceHeader& header = {});

}  // namespace stepbench::trace
