// SPDX-License-Identifier: Apache-2.0
// Charts of a night's verdict: distance of each series from its usual level, changes of the
// environment, and the history of each series that moved. Pure; any thread.
#pragma once

#include <vector>

#include "harness/document/document.h"
#include "harness/report/night_document.h"

namespace stepbench::report {

// Chapters "night" and "moved", each only if there is something to draw.
[[nodiscard]] std::vector<document::Chapter> night_charts(const ShownNight& shown);

}  // namespace stepbench::report
