// SPDX-License-Identifier: Apache-2.0
// The charts of a night's verdict: how far each series lies from its usual, what changed in the
// environment, and each series that moved over its nights. Pure; any thread.
#pragma once

#include <vector>

#include "harness/document/document.h"
#include "harness/report/night_document.h"

namespace stepbench::report {

// Chapters "night" and "moved", each only where there is something to draw.
[[nodiscard]] std::vector<document::Chapter> night_charts(const ShownNight& shown);

}  // namespace stepbench::report
