// SPDX-License-Identifier: Apache-2.0
// Which op an allocation belongs to, in a log whose collector does not say. Pure; any thread.
#pragma once

#include "harness/ops/op_log.h"

namespace stepbench::ops {

// Sets MemoryEvent::op to the innermost op of its thread that is open at that moment; events in
// none keep theirs. Ops lie by thread and start, memory events by thread and time.
void find_innermost_ops(OpLog& log);

}  // namespace stepbench::ops
