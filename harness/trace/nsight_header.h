// SPDX-License-Identifier: Apache-2.0
// Facts about the whole recording of an Nsight Systems export: time, host, devices and the
// profiler's diagnostics. One thread.
#pragma once

#include "harness/trace/nsight_database.h"
#include "harness/trace/trace.h"

namespace stepbench::trace {

void read_nsight_header(const NsightDatabase& database, Trace& trace);

}  // namespace stepbench::trace
