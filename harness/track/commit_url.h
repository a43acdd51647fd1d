// SPDX-License-Identifier: Apache-2.0
// Where a commit is shown: `track.commit_url` of the experiment of a night. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "harness/track/history.h"

namespace stepbench::track {

inline constexpr std::string_view kCommitUrlOption = "track.commit_url";  // in a run's context

// Empty: nobody said where, or no commit is known.
[[nodiscard]] std::string commit_url(const TrackedRun& run, const std::string& sha);

}  // namespace stepbench::track
