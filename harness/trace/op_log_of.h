// SPDX-License-Identifier: Apache-2.0
// Converts a trace into the op log that its recorder would have made, so that the same code makes
// operator tables for foreign traces and our own. Pure.
#pragma once

#include "harness/ops/op_log.h"
#include "harness/trace/trace.h"

namespace stepbench::trace {

// Times stay on the trace's clock. Omits Python frames, overhead and device annotations. Calls and
// device rows carry their correlation but no op: causes_of finds it by containment. Phases of our
// own traces become marks again, and so do stepbench::PHASE annotations of foreign ones. Without
// such annotations, waits for data become the phase "data_wait" and an optimizer's step
// "optimizer".
[[nodiscard]] ops::OpLog op_log_of(const Trace& trace);

}  // namespace stepbench::trace
