// SPDX-License-Identifier: Apache-2.0
// A night's verdict as a page: how far each series lies from its baseline, what changed in the
// environment, and each series that moved over its nights. Pure; any thread.
#pragma once

#include <vector>

#include "harness/document/document.h"
#include "harness/report/night_document.h"

namespace stepbench::report {

// Chapters "night" and "moved", each only if there is something to draw.
[[nodiscard]] std::vector<document::Chapter> night_charts(const ShownNight& shown);

}  // namespace stepbench::report
