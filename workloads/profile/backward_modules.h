// SPDX-License-Identifier: Apache-2.0
// Assigns modules to operations of the backward pass.
#pragma once

#include "harness/ops/op_log.h"

namespace stepbench::profile {

// Operations without a module get that of the enclosing op; backward functions get that of their
// forward op: the last one that began with the same sequence number on their forward thread. Ops
// must be grouped by thread, in order of start.
void spread_modules(ops::OpLog& log);

}  // namespace stepbench::profile
