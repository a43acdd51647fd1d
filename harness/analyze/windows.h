// SPDX-License-Identifier: Apache-2.0
// The steps of a trace in the window of another tool, so that all numbers of a page hold for it.
// Pure; any thread.
#pragma once

#include <optional>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/tensorboard.h"
#include "harness/analyze/tracelens.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

// tb_step: the plug-in's steps, all of which count. device_span and hta: all of the window as one
// step. Nothing where the trace has no such window, or for windows that are no tool's.
[[nodiscard]] std::optional<Steps> steps_in_window(
    WindowKind wanted, const Timeline& timeline, const Steps& host,
    const ValueOrReason<Tensorboard>& tensorboard,
    const ValueOrReason<std::vector<DeviceTimeline>>& spans);

}  // namespace stepbench::analyze
