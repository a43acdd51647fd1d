// SPDX-License-Identifier: Apache-2.0
// Metrics that get a history because a case asks for them: `track.metrics`. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "harness/compare/tested_metrics.h"

namespace stepbench::track {

// "step_p99=5% samples_per_s": names as of `list metrics`, between blanks or commas, each with its
// margin where it says one. Without those that every case has, the step and its peak of memory.
// Throws ConfigError for track.metrics, as tested_metrics() does.
[[nodiscard]] std::vector<compare::TestedMetric> tracked_metrics(
    std::string_view names, const std::vector<Metric>& columns);

}  // namespace stepbench::track
