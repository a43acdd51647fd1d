// SPDX-License-Identifier: Apache-2.0
// Kept programs that could not be measured beside a night's: they did not start there, or computed
// something else. Another one is taken the same night, and they are left alone for two weeks. Pure;
// any thread.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/track/alert_events.h"
#include "harness/track/history.h"

namespace stepbench::track {

inline constexpr int kUnusableDays = 14;

class UnusablePrograms {
 public:
  // As it is in a night that was measured at `now_utc`; what was said later does not count.
  UnusablePrograms(std::span<const TrackEvent> events, std::span<const TrackedRun> runs,
                   std::string_view now_utc);

  // For that series, by the build of the run.
  [[nodiscard]] bool contain(std::string_view series, const TrackedRun& program) const;

 private:
  std::set<std::pair<std::string, std::string>> builds_ = {};  // by series
};

// Which programs could not be measured beside that run, as sentences.
[[nodiscard]] std::vector<std::string> unusable_texts(std::span<const TrackEvent> events,
                                                      std::span<const TrackedRun> runs,
                                                      const TrackedRun& tonight);

}  // namespace stepbench::track
