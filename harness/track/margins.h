// SPDX-License-Identifier: Apache-2.0
// The change of a series that does not matter, where its case says another one than 1 %:
// `track.margin.step`, `track.margin.peak_bytes`, and NAME=SHARE in `track.metrics`. It is what the
// experiment says tonight, and stands with the run in the history. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/option_values.h"
#include "harness/track/history.h"

namespace stepbench::track {

inline constexpr double kMargin = .01;

// Shares by metric of a series ("step_ns"), those that the options of a case say of what every case
// has. Throws ConfigError with the option's name.
[[nodiscard]] std::map<std::string, double> margins_of(const OptionValues& options);

void set_margin(TrackedRun& run, std::string_view case_id, std::string_view metric, double share);

// Of all series of one run.
class RunMargins {
 public:
  explicit RunMargins(const TrackedRun& run);
  // kMargin where the case says nothing.
  [[nodiscard]] double of(const TrackedSeries& series) const;

 private:
  std::map<std::pair<std::string, std::string>, double> shares_;  // by case and metric
};

}  // namespace stepbench::track
