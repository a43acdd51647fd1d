// SPDX-License-Identifier: Apache-2.0
// Findings of `stepbench analyze` on a launch's profiled steps, made by the launch itself. Pure;
// any thread.
#pragma once

#include "harness/trace/trace.h"
#include "harness/workload.h"

namespace stepbench::profile {

// Reports causes of lost time as findings, and on a device the parts of a step as metrics
// (idle_data_ns, ...). Excludes those that the loader's own findings describe better, with the
// state of its workers.
void report_causes(const trace::Trace& trace, const ResolvedCase& resolved, ReportSink& sink);

}  // namespace stepbench::profile
