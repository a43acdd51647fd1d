// SPDX-License-Identifier: Apache-2.0
// Additional metrics that a case requests a history for: `track.metrics`. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "harness/compare/tested_metrics.h"

namespace stepbench::track {

// Parses "step_p99=5% samples_per_s": names as in `list metrics`, separated by blanks or commas,
// each with an optional margin. Omits the metrics that every case has, the step and its memory
// peak. Throws ConfigError for track.metrics, as tested_metrics() does.
[[nodiscard]] std::vector<compare::TestedMetric> tracked_metrics(
    std::string_view names, const std::vector<Metric>& columns);

}  // namespace stepbench::track
