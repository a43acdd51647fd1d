// SPDX-License-Identifier: Apache-2.0
// Whether a history has the nights that it should have by now. Pure; any thread.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/nights/history.h"

namespace stepbench::nights {

// The 24 hours up to a time of day.
struct ExpectedWithin {
  std::string from_utc = {};
  std::string by_utc = {};
};
// Up to the last occurrence of `by` ("08:00", UTC). Throws ConfigError with --expect-by.
[[nodiscard]] ExpectedWithin expected_within(std::string_view by,
                                             std::chrono::system_clock::time_point now);

// One sentence per experiment: when its newest night on this host began, or that there is none.
struct ExpectedNights {
  std::vector<std::string> there = {};
  std::vector<std::string> missing = {};
};
// `experiments`: names in the history.
[[nodiscard]] ExpectedNights expected_nights(std::span<const std::string> experiments,
                                             std::span<const TrackedRun> runs,
                                             std::string_view host, const ExpectedWithin& within);

}  // namespace stepbench::nights
