// SPDX-License-Identifier: Apache-2.0
// Private to the plug-in's breakdown: its summary of each GPU. Pure; any thread.
#pragma once

#include "harness/analyze/tensorboard.h"

namespace stepbench::analyze {

// Fills `gpus` from the windows of `result`.
void add_gpu_metrics(const Timeline& timeline, Tensorboard& result);

}  // namespace stepbench::analyze
