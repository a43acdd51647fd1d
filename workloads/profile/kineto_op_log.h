// SPDX-License-Identifier: Apache-2.0
// Translates what libtorch's profiler recorded. For files of this folder.
#pragma once

#include <torch/csrc/autograd/profiler_kineto.h>

#include "harness/ops/op_log.h"

namespace stepbench {

// `shapes`: whether they were recorded. The calling thread is step_thread.
[[nodiscard]] OpLog make_op_log(const torch::autograd::profiler::ProfilerResult& result,
                                bool shapes);

}  // namespace stepbench
