// SPDX-License-Identifier: Apache-2.0
// A history for programs: every point with its night, in base units. Pure; any thread.
#pragma once

#include <string>

#include "harness/track/history.h"

namespace stepbench::report {

inline constexpr const char* kHistorySchema = "stepbench.history";
inline constexpr const char* kHistoryVersion = "1.0.0";

// One line for each point, by series and time.
[[nodiscard]] std::string history_csv(const track::History& history);
// One object: runs, series with their points, cohorts. results/SCHEMA.md has the fields.
[[nodiscard]] std::string history_json(const track::History& history);

}  // namespace stepbench::report
