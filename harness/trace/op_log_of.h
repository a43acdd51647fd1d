// SPDX-License-Identifier: Apache-2.0
// A trace -> the op log that its recorder would have made, so that the tables of operators are made
// by the same code for foreign traces and for our own. Pure.
#pragma once

#include "harness/ops/op_log.h"
#include "harness/trace/trace.h"

namespace stepbench::trace {

// Times stay on the trace's clock. Left out: frames of Python, overhead, annotations of the device.
// Calls and device rows carry their correlation and no op: causes_of finds it by containment. The
// phases of our own traces become marks again, and so do the annotations stepbench::PHASE of
// foreign ones; without any, waits for data are the phase "data_wait" and an optimizer's step
// "optimizer".
[[nodiscard]] ops::OpLog op_log_of(const Trace& trace);

}  // namespace stepbench::trace
