// SPDX-License-Identifier: Apache-2.0
// Whether a night is there that should be: for a second machine or a later job, because a night
// that never began can tell nobody.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/track/history.h"

namespace stepbench::cli {

// The 24 hours before the last time that it was `by` ("08:00", UTC). Throws ConfigError for
// --expect-by.
struct ExpectedWithin {
  std::string from_utc = {};
  std::string by_utc = {};
};
[[nodiscard]] ExpectedWithin expected_within(std::string_view by,
                                             std::chrono::system_clock::time_point now);

// A sentence for each experiment: when its newest night on this host began, or that there is none.
struct ExpectedNights {
  std::vector<std::string> there = {};
  std::vector<std::string> missing = {};
};
[[nodiscard]] ExpectedNights expected_nights(std::span<const std::string> experiments,
                                             std::span<const track::TrackedRun> runs,
                                             std::string_view host, const ExpectedWithin& within);

}  // namespace stepbench::cli
