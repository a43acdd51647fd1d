// SPDX-License-Identifier: Apache-2.0
// The operator table of a trace, whoever recorded it: what `show --ops` prints and results keep.
// Exact in integer nanoseconds. Pure; any thread.
#pragma once

#include "harness/analyze/op_tree.h"
#include "harness/ops/op_table.h"
#include "harness/trace/trace.h"

namespace stepbench::analyze {

// Grouped by step, phase, name, shapes, module and kind, in order of first call.
[[nodiscard]] ops::OpTable op_table_of(const trace::Trace& trace);
[[nodiscard]] ops::OpTable op_table_of(const OpTree& tree);

}  // namespace stepbench::analyze
