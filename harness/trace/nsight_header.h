// SPDX-License-Identifier: Apache-2.0
// What an export of Nsight Systems says of the whole recording: when and where it was made, on
// which devices, and what the profiler complained of. One thread.
#pragma once

#include "harness/trace/nsight_database.h"
#include "harness/trace/trace.h"

namespace stepbench::trace {

void read_nsight_header(const NsightDatabase& database, Trace& trace);

}  // namespace stepbench::trace
