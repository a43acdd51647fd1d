// SPDX-License-Identifier: Apache-2.0
// Lists the commits between the last good and the first bad program of an alert, using git if the
// night's repository is available. Runs git; one thread.
#pragma once

#include <functional>
#include <span>

#include "harness/nights/alert.h"
#include "harness/track/history.h"

namespace stepbench::campaign {

inline constexpr std::size_t kListedCommits = 20;  // limit per range; the newest are listed

// Fills Alert::commits of the alerts that `of` selects, by default the open ones. Stays empty for
// an alert whose nights have the same commit or whose repository is elsewhere.
void list_commits(nights::AlertLog& log, std::span<const track::TrackedRun> runs,
                  const std::function<bool(const nights::Alert&)>& of = {});

}  // namespace stepbench::campaign
