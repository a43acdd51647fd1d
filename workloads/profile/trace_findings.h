// SPDX-License-Identifier: Apache-2.0
// What `stepbench analyze` would say of the profiled steps of a launch, said by the launch itself.
// Pure; any thread.
#pragma once

#include "harness/ops/op_log.h"
#include "harness/trace/write_trace.h"
#include "harness/workload.h"

namespace stepbench::profile {

// Causes of lost time as findings, and on a device the parts of a step as metrics (idle_data_ns,
// ...). What the loader's own findings say better, with the state of its workers at hand, is left
// to them.
void report_causes(const ops::OpLog& log, const trace::TraceHeader& header,
                   const ResolvedCase& resolved, ReportSink& sink);

}  // namespace stepbench::profile
