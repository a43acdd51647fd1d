// SPDX-License-Identifier: Apache-2.0
// Margins of series: the relative change that does not matter, 1 % unless the case sets it by
// `track.margin.step`, `track.margin.peak_bytes` or NAME=SHARE in `track.metrics`. Taken from
// tonight's experiment and stored with the run in the history. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/option_values.h"
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

}  // namespace stepbench::track
