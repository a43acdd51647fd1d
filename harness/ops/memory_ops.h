// SPDX-License-Identifier: Apache-2.0
// Attributes allocations to ops in a log whose collector does not. Pure; any thread.
#pragma once

#include "harness/ops/op_log.h"

namespace stepbench::ops {

// Sets MemoryEvent::op to the innermost op of its thread open at that moment; other events keep
// theirs. Ops must be sorted by thread and start, memory events by thread and time.
void find_innermost_ops(OpLog& log);

}  // namespace stepbench::ops
