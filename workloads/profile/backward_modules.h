// SPDX-License-Identifier: Apache-2.0
// Which module operations of the backward pass belong to.
#pragma once

#include "harness/ops/op_log.h"

namespace stepbench::profile {

// Gives operations without a module that of the op around them, and backward functions that of
// their forward: the last op that began with the same sequence number on their forward thread.
// Expects the ops of a thread together and in order of start.
void spread_modules(ops::OpLog& log);

}  // namespace stepbench::profile
