// SPDX-License-Identifier: Apache-2.0
// The options `track` of an experiment: which metrics get a history, and the change of a series
// that does not matter. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/option_values.h"
#include "harness/compare/tested_metrics.h"
#include "harness/track/history.h"

namespace stepbench::track {

inline constexpr double kMargin = .01;

// Returns shares by series metric ("step_ns"), as set by the case's options for the metrics common
// to all cases. Throws ConfigError with the option's name.
[[nodiscard]] std::map<std::string, double> margins_of(const OptionValues& options);

void set_margin(TrackedRun& run, std::string_view case_id, std::string_view metric, double share);

class RunMargins {
 public:
  explicit RunMargins(const TrackedRun& run);
  // kMargin unless the case sets it.
  [[nodiscard]] double of(const TrackedSeries& series) const;

 private:
  std::map<std::pair<std::string, std::string>, double> shares_;  // by case and metric
};

// Parses "step_p99=5% samples_per_s": names as in `list metrics`, separated by blanks or commas,
// each with an optional margin. Omits the metrics that every case has, the step and its memory
// peak. Throws ConfigError for track.metrics, as tested_metrics() does.
[[nodiscard]] std::vector<compare::TestedMetric> tracked_metrics(
    std::string_view names, const std::vector<Metric>& columns);

}  // namespace stepbench::track
